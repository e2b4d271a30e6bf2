"""British and American spelling, told apart by a document's own words.

A checker knows one dialect at a time, and takes the other's spellings for mistakes. They are none, so the dialect of
a text is read from its spellings, and a complaint that only asks for the other dialect's spelling is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum


class Dialect(StrEnum):
    """The two dialects that the checkers know and that differ in spelling."""

    BRITISH = "british"
    AMERICAN = "american"


_OUR = (
    "arbour|ardour|armour|behaviour|candour|clamour|colour|demeanour|endeavour|favour|fervour|flavour|glamour|harbour|"
    "honour|humour|labour|neighbour|odour|parlour|rancour|rigour|rumour|saviour|savour|splendour|tumour|valour|vapour|"
    "vigour"
)
_RE = (
    "calibre|centre|fibre|litre|louvre|lustre|meagre|metre|mitre|ochre|sabre|sceptre|sombre|spectre|theatre|lacklustre"
)
_DOUBLED = (
    "bevel|cancel|channel|chisel|counsel|cudgel|dial|dishevel|drivel|duel|enamel|equal|flannel|fuel|funnel|gambol|grovel|"
    "gruel|jewel|label|level|libel|marshal|marvel|model|panel|parcel|pedal|pencil|quarrel|revel|rival|shovel|shrivel|"
    "signal|snivel|spiral|stencil|swivel|total|towel|travel|trowel|tunnel|unravel|yodel"
)
_ISE_ENDINGS = "ise|ised|iser|isers|ises|ising|isation|isations|isational"
# Words in -ise that no dialect spells with z.
_ALWAYS_ISE = re.compile(
    r"\w*(?:advert|adv|appr|ar|br|chast|compr|comprom|dem|desp|dev|disgu|enterpr|exc|exerc|franch|gu|improv|inc|merchand|"
    r"no|per|pra|prec|prem|prom|ra|r|superv|surm|surpr|telev|tre|upr|v|w)(?:ise|ised|iser|isers|ises|ising)",
)
_BRITISH = re.compile(
    rf"\b(?:\w*(?:{_OUR})\w*|\w*(?:{_RE})s?|\w+(?:{_ISE_ENDINGS})|\w+lys(?:e|ed|es|ing)|(?:{_DOUBLED})l(?:ed|er|ers|ing)|"
    r"grey\w*|plough\w*|cheques?|tyres?|kerbs?|defence|offence|licence|pretence|programmes?|whilst|jewellery|"
    r"aluminium|moustaches?|pyjamas|manoeuvr\w*|mould\w*|sceptic\w*|learnt|spelt|storeys?|cosy|draughts?|encyclopaedia|"
    r"anaesthe\w*|haemo\w*|paediatr\w*|oestr\w*|oesoph\w*|diarrhoea|fulfil|skilful\w*|enrol|instalments?|wilful\w*)\b"
)
_AMERICAN = re.compile(
    # A meter measures in British English too.
    rf"\b(?:\w*(?:{_OUR.replace('our', 'or')})\w*|(?:{_RE.replace('|metre', '').replace('re|', 'er|')[:-2]}er)s?|"
    rf"\w+(?:{_ISE_ENDINGS.replace('is', 'iz')})|\w+lyz(?:e|ed|es|ing)|(?:{_DOUBLED})(?:ed|er|ers|ing)|"
    r"gray\w*|plow\w*|curbs?|defense|offense|pretense|jewelry|aluminum|mustaches?|pajamas|maneuver\w*|mold\w*|"
    r"skeptic\w*|gotten|cozy|encyclopedia|anesthe\w*|hemo\w*|pediatr\w*|estrogen\w*|esophag\w*|diarrhea|fulfill|"
    r"skillful\w*|enroll|installments?|willful\w*)\b"
)
_BRITISH_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr) [A-Z]")
_AMERICAN_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr)\. [A-Z]")

_TO_AMERICAN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"({_OUR})", r"\1§"),
        (r"our§", "or"),
        (rf"({_RE})(s?)\b", r"\1§\2"),
        (r"re§", "er"),
        (rf"({_ISE_ENDINGS})\b", r"§\1"),
        (r"§is", "iz"),
        (r"lys(e|ed|es|er|ers|ing)\b", r"lyz\1"),
        (rf"\b({_DOUBLED})l(ed|er|ers|ing)\b", r"\1\2"),
        (r"[ao]e|æ|œ", "e"),
        (r"(def|off|lic|pret|pract)([ei]n?)ce", r"\1\2se"),
        (r"\bgrey", "gray"),
        (r"plough", "plow"),
        (r"\bcheque", "check"),
        (r"\btyre", "tire"),
        (r"\bkerb", "curb"),
        (r"programme", "program"),
        (r"ogue", "og"),
        (r"(ma|mo|smo)ul(d|t)", r"\1l\2"),
        (r"manoeuvr|maneuvr", "maneuver"),
        (r"dgement", "dgment"),
        (r"despatch", "dispatch"),
        (r"aluminium", "aluminum"),
        (r"jewellery", "jewelry"),
        (r"moustache", "mustache"),
        (r"pyjama", "pajama"),
        (r"sceptic", "skeptic"),
        (r"\bcosy", "cozy"),
        (r"(fulfi|enro|ski|wi|insta)l(?=s\b|\b|ment|ful)", r"\1ll"),
        (r"(\w{3})wards\b", r"\1ward"),
    )
)


def detect_dialect(texts: Iterable[str]) -> Dialect:
    """The dialect of most of the tell-tale spellings; American where nothing tells.

    Where they are as many of each, ``Mr`` or ``Mr.`` decides.
    """
    balance = titles = 0
    for text in texts:
        lowered = text.lower()
        balance += sum(1 for match in _BRITISH.finditer(lowered) if not _ALWAYS_ISE.fullmatch(match[0]))
        balance -= len(_AMERICAN.findall(lowered))
        titles += len(_BRITISH_TITLE.findall(text)) - len(_AMERICAN_TITLE.findall(text))
    return Dialect.BRITISH if (balance or titles) > 0 else Dialect.AMERICAN


def in_american(word: str) -> str:
    """A key that spellings of one word in the two dialects share: about its American spelling, in small letters.

    Only good for comparing: what is no British spelling may come out changed as well.
    """
    key = word.lower()
    for pattern, replacement in _TO_AMERICAN:
        key = pattern.sub(replacement, key)
    return key


def differ_in_dialect_only(left: str, right: str) -> bool:
    """Whether two words are one word in the spellings of two dialects."""
    return left.lower() != right.lower() and in_american(left) == in_american(right)
