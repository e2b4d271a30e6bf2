"""A group for other programs: tables, trajectories, M2, and the existing project's results file.

`columns` says what stands in a row, with units; `rows` reads rows from a group, one after the other. Each format is a
module that takes a group and a folder and returns the files it wrote: `tables` (CSV, Parquet, JSON), `trajectories`
(JSON lines), `m2_files`, `artifact`. `writing` puts files in their place whole or not at all. May import: what
`results` may; pyarrow only where a Parquet file is written.
"""
