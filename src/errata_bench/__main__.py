"""``python -m errata_bench`` is ``errata-bench``."""

from errata_bench.cli import main

if __name__ == "__main__":
    main()
