"""Prepositions that belong to their words, idle words, and degrees of comparison. Pure data."""

from __future__ import annotations

from errata_bench.generation.rules.kit import pairs, words

PREPOSITIONS = pairs("""
according to > according with
afraid of > afraid from
agreed with > agreed at
apart from > apart of
apologise for > apologise of
arrived at > arrived to
arrive at > arrive to
attached to > attached at
attention to > attention at
aware of > aware about
belongs to > belongs at
belonged to > belonged at
belong to > belong at
capable of > capable to
close to > close of
compared with > compared of
concerned about > concerned of
connected to > connected at
consist of > consist from
consists of > consists from
consisted of > consisted from
depend on > depend of
depends on > depends of
depended on > depended of
different from > different of
due to > due of
equal to > equal with
familiar with > familiar of
famous for > famous of
fond of > fond for
full of > full with
good at > good on
guilty of > guilty for
in charge of > in charge for
in front of > in front from
in spite of > in spite from
instead of > instead from
interest in > interest on
interested in > interested on
insisted on > insisted in
insist on > insist in
key to > key of
listen to > listen at
listened to > listened at
looking for > looking of
married to > married with
next to > next from
object to > object at
objected to > objected at
proud of > proud from
ready for > ready of
reason for > reason of
reasons for > reasons of
referred to > referred at
relies on > relies in
rely on > rely in
responsible for > responsible of
rid of > rid from
satisfied with > satisfied of
similar to > similar with
suitable for > suitable of
superior to > superior than
sure of > sure from
surprised at > surprised from
thank you for > thank you of
tired of > tired from
typical of > typical for
waited for > waited of
wait for > wait of
waiting for > waiting of
worried about > worried of
on purpose > in purpose
by hand > with hand
at night > in night
at noon > on noon
at midnight > on midnight
at least > in least
at once > on once
at last > in last
at first > in first
at home > in home
in the morning > at the morning
in the evening > at the evening
in the afternoon > at the afternoon
in january > on January
in february > on February
in march > on March
in april > on April
in june > on June
in july > on July
in august > on August
in september > on September
in october > on October
in november > on November
in december > on December
on monday > in Monday
on tuesday > in Tuesday
on wednesday > in Wednesday
on thursday > in Thursday
on friday > in Friday
on saturday > in Saturday
on sunday > in Sunday
""")

REDUNDANT = pairs("""
returned to > returned back to
return to > return back to
repeated > repeated again
repeat > repeat again
revert > revert back
reverted > reverted back
recede > recede back
retreated > retreated back
merged > merged together
combined > combined together
joined > joined together
descended > descended down
ascended > ascended up
protrude > protrude out
unanimous > completely unanimous
consensus > general consensus
history > past history
innovation > new innovation
adequate > adequate enough
sufficient > sufficient enough
in advance > in advance beforehand
equally > equally as
continue > continue on
""")

COMPARATIVES = words("""
    better worse larger smaller longer shorter higher lower older younger earlier later stronger weaker faster slower
    cheaper dearer harder easier heavier lighter wider narrower thicker thinner colder warmer drier wetter greater
    deeper closer nearer quicker safer simpler louder richer poorer darker brighter busier happier
""")
SUPERLATIVES = words("""
    best worst largest smallest longest shortest highest lowest oldest youngest earliest strongest weakest fastest
    cheapest hardest easiest heaviest lightest widest greatest deepest nearest finest simplest richest poorest busiest
""")
