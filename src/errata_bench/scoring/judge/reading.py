"""A judge's reply becomes verdicts, or a problem that the judge is told of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from errata_bench.chat import ChatReply
from errata_bench.scoring.judge.prompts import RECORD_VERDICTS, Conclusion

CUT_OFF = "Your answer was cut off at its length limit. Answer again, with one short sentence for each reason."


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """What a judge said of one issue."""

    valid: bool
    conclusion: Conclusion
    reason: str

    @property
    def contradicts_itself(self) -> bool:
        """Whether the verdict is another than the conclusion, or than what the reason's last sentence says outright.

        Only a last sentence that says nothing but the verdict counts ("So it is not valid."): reasons speak of right
        and wrong words all the time, and a verdict is not to be doubted for that.
        """
        return self.valid is not self.conclusion.is_valid or _said_outright(self.reason) not in (None, self.valid)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says: verdicts by the names that were asked about, or the problem that makes it unusable.

    ``contradicted`` are the names whose verdicts contradict themselves.
    """

    verdicts: Mapping[str, JudgeVerdict]
    problem: str | None = None

    @property
    def contradicted(self) -> tuple[str, ...]:
        """The names whose verdicts contradict themselves, in order."""
        return tuple(name for name, verdict in self.verdicts.items() if verdict.contradicts_itself)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    error: str
    reason: str = Field(min_length=1)
    conclusion: str
    valid: bool

    @field_validator("error", "reason", "conclusion", mode="before")
    @classmethod
    def _stripped(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @field_validator("valid", mode="before")
    @classmethod
    def _spelt_out(cls, value: Any) -> Any:
        # Some models write every value as a string (QUIRKS Q15); any other word is none of ours.
        return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value

    @field_validator("conclusion")
    @classmethod
    def _known(cls, value: str) -> str:
        return Conclusion(value).value


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    verdicts: list[_Entry]


def read_verdicts(reply: ChatReply, names: Collection[str]) -> Reading:
    """Read a reply; it is taken only if it names exactly the errors that were asked about, once each.

    Several calls are read as one, because some models give one for each error.
    """
    if reply.truncated:
        return Reading({}, CUT_OFF)
    calls = [call for call in reply.tool_calls if _bare(call.name) == RECORD_VERDICTS]
    if not calls:
        return Reading({}, f"You did not call {RECORD_VERDICTS}. {_wanted(names)}")
    entries: list[_Entry] = []
    for call in calls:
        if call.arguments is None:
            problem = call.problem or "The arguments are no JSON object."
            return Reading({}, f"{problem} {_wanted(names)}")
        try:
            entries += _Arguments.model_validate(call.arguments).verdicts
        except ValidationError as error:
            return Reading({}, f"{_described(error)} {_wanted(names)}")
    miscounted = _miscounted([entry.error for entry in entries], names)
    if miscounted is not None:
        return Reading({}, f"{miscounted} {_wanted(names)}")
    by_name = {entry.error: entry for entry in entries}
    return Reading(
        {
            name: JudgeVerdict(by_name[name].valid, Conclusion(by_name[name].conclusion), by_name[name].reason)
            for name in names
        }
    )


def contradiction(reading: Reading) -> str:
    """What a judge is told whose verdicts contradict themselves."""
    told = [
        f"{name}: your reason says {reading.verdicts[name].reason!r}, your conclusion is "
        f"{reading.verdicts[name].conclusion.value}, your verdict is valid={str(reading.verdicts[name].valid).lower()}."
        for name in reading.contradicted
    ]
    lines = "\n".join(told)
    return (
        f"These verdicts contradict themselves:\n{lines}\n"
        f"Decide on these errors again, and on no others: {', '.join(reading.contradicted)}. "
        "valid is true if and only if the conclusion is mended, and both follow from the reason."
    )


def _bare(name: str) -> str:
    return name.removeprefix("functions.").casefold()  # QUIRKS Q17, Q19


def _wanted(names: Collection[str]) -> str:
    return f"Call {RECORD_VERDICTS} once, with exactly one verdict for each of: {', '.join(names)}."


def _miscounted(found: Sequence[str], names: Collection[str]) -> str | None:
    unknown = sorted(set(found) - set(names))
    missing = [name for name in names if name not in found]
    twice = sorted(name for name, count in Counter(found).items() if count > 1 and name in names)
    problems = []
    if unknown:
        problems.append(f"Nobody asked about {', '.join(repr(name) for name in unknown)}.")
    if missing:
        problems.append(f"There is no verdict on {', '.join(missing)}.")
    if twice:
        problems.append(f"There is more than one verdict on {', '.join(twice)}.")
    return " ".join(problems) or None


def _described(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["loc"] and first["loc"][-1] == "conclusion":
        return f"{place}: it has to be one of {', '.join(Conclusion)}."
    return f"{place}: {first['msg']}."


_SUBJECT = r"(?:it|this|that|(?:the|this) (?:\w+ )?(?:fix|edit|change|correction|replacement|alternative|result))"
_LEAD = r"(?:(?:so|thus|hence|therefore|overall|consequently|in sum|in short),? )?"
_BEFORE = r"(?:(?:therefore|thus|still|hence|also|fully|clearly) )?"
_KIND = r"(?: (?:fix|edit|change|correction|replacement|alternative))?"
_IS_VALID = re.compile(rf"{_LEAD}{_SUBJECT} is {_BEFORE}(?:an? )?(?:valid|acceptable){_KIND}")
_IS_INVALID = re.compile(
    rf"{_LEAD}{_SUBJECT} is {_BEFORE}(?:not (?:an? )?(?:valid|acceptable)|(?:an? )?(?:invalid|unacceptable)){_KIND}"
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")


def _said_outright(reason: str) -> bool | None:
    last = _SENTENCE_END.split(reason.strip())[-1].strip().rstrip(".!").casefold()
    if _IS_VALID.fullmatch(last):
        return True
    if _IS_INVALID.fullmatch(last):
        return False
    return None
