"""Asking a judge about one paragraph: asked again when the answer cannot be used, repaired when it contradicts itself.

What is still missing then is unjudged. It is never turned into a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errata_bench.chat import AttemptSink, ChatModel, ignore_attempt
from errata_bench.errors import EndpointFault, ErrataBenchError
from errata_bench.scoring.judge.conversation import Conversation
from errata_bench.scoring.judge.prompts import TOOL, names_of, opening
from errata_bench.scoring.judge.questions import ParagraphQuestions
from errata_bench.scoring.judge.reading import JudgeVerdict, Reading, contradiction, read_verdicts
from errata_bench.scoring.judge.use import JudgingUse

ASKED_AGAIN_AT_MOST = 2


@dataclass(frozen=True, slots=True)
class JudgedParagraph:
    """What came of a paragraph's questions.

    ``verdicts`` and ``unjudged`` (why there is no verdict) are by issue id, and together all that was asked. ``use``
    covers every answer, unusable ones included. ``error`` is what ended it early, if anything did: an `EndpointFault`,
    or whatever else a model refuses a request with.
    """

    verdicts: Mapping[str, JudgeVerdict]
    unjudged: Mapping[str, str]
    use: JudgingUse
    requests: int
    error: ErrataBenchError | None = None

    @property
    def fault(self) -> EndpointFault | None:
        """The endpoint's fault that ended it early, if one did."""
        return self.error if isinstance(self.error, EndpointFault) else None


async def judge_paragraph(
    model: ChatModel, paragraph: ParagraphQuestions, on_attempt: AttemptSink = ignore_attempt
) -> JudgedParagraph:
    """Ask a judge about every question of a paragraph.

    What keeps it from being asked is in the result, not raised: verdicts that were given before stand.
    """
    ids = names_of(paragraph)
    conversation = Conversation.open(model, on_attempt, TOOL, opening(paragraph), len(ids))
    verdicts: dict[str, JudgeVerdict] = {}
    reasons = dict.fromkeys(ids, "the judge was not asked")
    failed: ErrataBenchError | None = None
    try:
        reading = await _usable_answer(conversation, tuple(ids))
        if reading.problem is not None:
            reasons = dict.fromkeys(ids, f"no usable answer: {reading.problem}")
        else:
            doubtful = reading.contradicted
            verdicts = {name: verdict for name, verdict in reading.verdicts.items() if name not in doubtful}
            reasons = dict.fromkeys(doubtful, "the verdict contradicts its own reason")
            if doubtful:
                verdicts |= await _repaired(conversation, doubtful)
    except ErrataBenchError as error:
        failed = error
        reasons = dict.fromkeys(ids, f"the judge could not be asked: {error}")
    return JudgedParagraph(
        verdicts={ids[name]: verdicts[name] for name in ids if name in verdicts},
        unjudged={ids[name]: reasons[name] for name in ids if name not in verdicts},
        use=conversation.use,
        requests=conversation.requests,
        error=failed,
    )


async def _usable_answer(conversation: Conversation, names: tuple[str, ...]) -> Reading:
    """The first answer that can be used, with the contradiction told; else the last one, with its problem."""
    asked_again = 0
    while True:
        reply = await conversation.ask()
        reading = read_verdicts(reply, names)
        if reading.problem is None:
            if reading.contradicted:
                conversation.complain(reply, contradiction(reading))
            return reading
        if asked_again == ASKED_AGAIN_AT_MOST:
            return reading
        asked_again += 1
        conversation.complain(reply, reading.problem)


async def _repaired(conversation: Conversation, names: tuple[str, ...]) -> dict[str, JudgeVerdict]:
    """What one more request makes of verdicts that contradicted themselves; nothing, where it is no better."""
    reading = read_verdicts(await conversation.ask(), names)
    return {name: verdict for name, verdict in reading.verdicts.items() if name not in reading.contradicted}
