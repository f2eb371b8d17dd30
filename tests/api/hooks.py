"""What a run of schemathesis needs to know besides the API document: the document's own formats, lines of JSON, and
which refusals of a request that the document allows are answers of the business and not of the door."""

import itertools
import json
import os

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi import stateful

SOLANA = 20_011_000_000
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# Accounts and tokens that the sandbox has, so that requests come past the first check.
WALLET = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NATIVE = "0x0000000000000000000000000000000000000000"


def base58(raw: bytes) -> str:
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + text


def hex_text(size: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=size, max_size=size).map(lambda raw: "0x" + raw.hex())


evm = hex_text(20) | st.sampled_from([WALLET, USDC_BASE])
solana = st.binary(min_size=32, max_size=32).map(base58)
transaction = hex_text(32) | st.binary(min_size=64, max_size=64).map(base58)
schemathesis.openapi.format("evm-address", evm)
schemathesis.openapi.format("solana-address", solana)
# Addresses of Bitcoin and Tron, which have checksums.
source = st.sampled_from([
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
])
schemathesis.openapi.format("source-address", source)
schemathesis.openapi.format("address", evm | solana)
schemathesis.openapi.format("transaction-id", transaction)
schemathesis.openapi.format("signed-transaction", hex_text(100))
schemathesis.openapi.format("search-term", transaction | evm | solana | st.binary(min_size=16, max_size=16).map(bytes.hex))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The schema of an NDJSON answer is that of each line; the built-in check takes a list of them."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                lines = response.get("content", {}).get("application/x-ndjson")
                if lines:
                    lines["schema"] = {"type": "array", "items": lines["schema"]}


@schemathesis.deserializer("application/x-ndjson")
def read_lines(context, response):
    return [json.loads(line) for line in response.content.splitlines()]


# What the stateful phase begins with: swaps of both methods and purchases that the sandbox can carry out.
swaps = itertools.cycle(
    {
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1,
        "fromToken": NATIVE,
        "toChainId": 8453,
        "toToken": USDC_BASE,
        "amount": amount,
        "fromAddress": WALLET,
        **more,
    }
    for amount, more in [("100000000000000000", {}), ("200000000000000000", {"depositMethods": ["TRANSFER"]})]
)
purchases = itertools.cycle(
    {"fiatCurrency": "USD", "fiatAmount": amount, "toChainId": 8453, "toToken": USDC_BASE, "recipient": WALLET}
    for amount in ["50", "75.50"]
)
OPENINGS = {"/v1/quotes": swaps, "/v1/fiat/quote": purchases}
# The quotes of the routes that were built for a wallet and not submitted yet.
BUILT: dict[str, str] = {}
# It would begin with what needs no field that looks like somebody's id, and a quote has several.
assert hasattr(stateful, "is_likely_root_transition")
stateful.is_likely_root_transition = lambda operation, *_: operation.path in OPENINGS


@schemathesis.hook
def before_call(context, case, **kwargs):
    meta = case.meta
    if meta is None or meta.phase.name.value != "stateful" or not meta.generation.mode.is_positive:
        return
    opening = OPENINGS.get(case.operation.path)
    if opening:
        case.body = next(opening)
        case.query = {}
    # Generated values often replace those of a link: what was built last is submitted as its link says, with a transaction of
    # its own, as one belongs to one order.
    if case.operation.path == "/v1/deposit/submit" and BUILT:
        route_id, quote_id = BUILT.popitem()
        case.body = {"quoteId": quote_id, "routeId": route_id, "txHash": "0x" + os.urandom(32).hex()}
        case.headers.pop("Idempotency-Key", None)


@schemathesis.hook
def after_call(context, case, response):
    """Writes which operations the links led to, for `run`."""
    is_stateful = case.meta is not None and case.meta.phase.name.value == "stateful"
    if is_stateful and response.status_code == 200 and case.operation.path == "/v1/deposit/build":
        if json.loads(response.content)["kind"] == "CONTRACT_CALL":
            BUILT[case.body["routeId"]] = case.body["quoteId"]
    if is_stateful and response.status_code == 200 and "REACHED" in os.environ:
        with open(os.environ["REACHED"], "a") as file:
            print(case.operation.method.upper(), case.operation.path, file=file)


@schemathesis.check
def the_door_takes_what_the_document_allows(context, response, case):
    """A request that the document allows is never malformed. It may still be refused for what it asks: an unknown
    token, a price that nobody offers, a payer without balance."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    text = response.content.decode(errors="replace")
    try:
        refusal = json.loads(text)
    except ValueError:
        raise AssertionError(f"the document allows this request, and it was refused: {text}") from None
    if refusal.get("name") != "ValidationException":
        return
    unsaid = [issue for issue in refusal["details"]["issues"] if not is_beyond_schemas(issue, case)]
    if unsaid:
        raise AssertionError(f"the document allows this request, and it was refused: {unsaid}")


# Rules that compare fields with each other or with an earlier answer, which a schema cannot state.
COMPARISONS = [
    "is the same as the input token",
    # How addresses are refused that do not go with the quote: of another family, the token itself, a contract of ours.
    "expected an a",
    "is none of the quote's routes",
    "differs from author",
    "differs from recipient",
    "names another token than toChainId and toToken",
]


def is_beyond_schemas(issue, case) -> bool:
    """Whether the document cannot state the rule: a comparison, a checksum, the number of bytes of a base58 text."""
    message = issue["message"]
    if "EIP-55" in message or any(words in message for words in COMPARISONS):
        return True
    values = {**(case.path_parameters or {}), **(case.query or {})}
    if isinstance(case.body, dict):
        values |= case.body
    value = values
    for name in issue["path"].split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return isinstance(value, str) and len(value) >= 32 and set(value) <= set(BASE58)
