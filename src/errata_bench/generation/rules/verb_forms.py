"""Irregular verbs and some regular ones, with what rules need of their forms. Pure data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb: ``go goes went gone``."""

    base: str
    third: str
    past: str
    participle: str


def third_person(base: str) -> str:
    """The form after *he*, by the rule of spelling."""
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{base}es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}s"


_IRREGULAR = """
become became become; begin began begun; bend bent bent; bind bound bound; bite bit bitten; blow blew blown
break broke broken; bring brought brought; build built built; burn burnt burnt; buy bought bought
catch caught caught; choose chose chosen; come came come; creep crept crept; deal dealt dealt; dig dug dug
do did done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen
feed fed fed; feel felt felt; fight fought fought; find found found; fly flew flown; forget forgot forgotten
forgive forgave forgiven; freeze froze frozen; get got got; give gave given; go went gone; grow grew grown
hang hung hung; hear heard heard; hide hid hidden; hold held held; keep kept kept; know knew known
lay laid laid; lead led led; leave left left; lend lent lent; lie lay lain; lose lost lost; make made made
mean meant meant; meet met met; pay paid paid; ride rode ridden; ring rang rung; rise rose risen; run ran run
say said said; see saw seen; sell sold sold; send sent sent; shake shook shaken; shine shone shone
shoot shot shot; show showed shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat sat
sleep slept slept; slide slid slid; speak spoke spoken; spend spent spent; spring sprang sprung; stand stood stood
steal stole stolen; stick stuck stuck; strike struck struck; swear swore sworn; sweep swept swept; swim swam swum
swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought
throw threw thrown; understand understood understood; wake woke woken; wear wore worn; weave wove woven
win won won; wind wound wound; withdraw withdrew withdrawn; write wrote written
"""
_REGULAR = """
accept add agree allow answer appear apply arrange arrive ask attend avoid believe belong call carry cause change
claim clean climb close collect complain consider contain continue cover cross decide declare decline deliver depend
describe design discover discuss divide earn end enjoy enter escape examine expect explain fail fill finish follow
gather happen hate help hope hurry imagine improve include increase inform insist intend invite join jump kiss knock
last laugh learn lift like listen live lock look love manage mention miss move need notice object observe obtain occur
offer open order owe own pass pick place plan play point pour prefer prepare press prevent produce promise propose
protect prove provide publish pull push raise reach receive recognise record reduce refer refuse regard remain remember
remove repair repeat replace reply report require rest return reveal rub save search seem serve settle share shout
sign smile sound start stare stay stop suggest supply suppose surprise talk taste thank tie touch train travel treat
try turn use visit wait walk want warn wash waste watch weigh wish wonder work worry
"""


def _regular(base: str) -> Verb:
    doubling = {"occur", "plan", "prefer", "refer", "rub", "stop"}
    if base in doubling:
        past = f"{base}{base[-1]}ed"
    elif base.endswith("e"):
        past = f"{base}d"
    elif base.endswith("y") and base[-2] not in "aeiou":
        past = f"{base[:-1]}ied"
    elif base == "travel":
        past = "travelled"
    else:
        past = f"{base}ed"
    return Verb(base, third_person(base), past, past)


def _irregular(entry: str) -> Verb:
    base, past, participle = entry.split()
    return Verb(base, third_person(base), past, participle)


IRREGULAR: tuple[Verb, ...] = tuple(
    _irregular(entry) for line in _IRREGULAR.strip().splitlines() for entry in line.split(";")
)
REGULAR: tuple[Verb, ...] = tuple(map(_regular, _REGULAR.split()))
VERBS: tuple[Verb, ...] = IRREGULAR + REGULAR

BY_PAST: dict[str, Verb] = {verb.past: verb for verb in VERBS if verb.past not in ("lay", "found", "wound", "left")}
"""Verbs by their past; forms that are more often something else are left out."""
BY_THIRD: dict[str, Verb] = {verb.third: verb for verb in VERBS}
BY_BASE: dict[str, Verb] = {verb.base: verb for verb in VERBS}
BY_PARTICIPLE: dict[str, Verb] = {verb.participle: verb for verb in IRREGULAR if verb.participle != verb.past}
"""Irregular verbs whose participle is not their past."""
