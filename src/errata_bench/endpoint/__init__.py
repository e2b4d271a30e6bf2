"""Models behind an HTTP endpoint: settings, requests, what servers really send, retries and prices.

`client.Endpoint` makes `errata_bench.chat.ChatModel` s out of an OpenAI-compatible endpoint. Around it stand pure
modules that it only wires together:

================  =====================================================================================
`settings`        flags, environment and ``.env``; `address` takes the URL apart
`payload`         a `ChatRequest` as the JSON that is sent
`transport`       one exchange over HTTP, with a deadline and a size limit
`replies`         bytes, status and headers become a `ChatReply` or an `EndpointFault`; `bodies`, `errors_sent`,
                  `faults`, `arguments`, `calls`, `leaks` and `accounting` are its parts
`adapt`           which refused parameter is left out or renamed
`retry`           how long to wait before the next attempt
`http_model`      one variant: attempts, retries and adaptations of a request
`conduct`         what an attempt passes before it is sent: `outage`, `pacing`, and `spending`, whom others implement
`events`          what is told beside attempts
`pricing`         what tokens cost
`model_list`      the variants that a file or a flag names
`redact`          takes secrets out of any text
================  =====================================================================================

It knows nothing of cases, runs or the store. May import: the pure modules, `chat`, `errors` and `variants`. This
page imports nothing, so that ``--help`` stays fast: aiohttp and pydantic load with the modules that need them.
"""
