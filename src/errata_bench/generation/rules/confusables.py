"""Words and set phrases that are taken for others. Pure data: a line is ``right > wrong``."""

from __future__ import annotations

from errata_bench.generation.rules.kit import pairs

NEAR_NEIGHBOURS = pairs("""
affect > effect
affected > effected
effect > affect
effects > affects
accept > except
accepted > excepted
except > accept
than > then
then > than
lose > loose
losing > loosing
loose > lose
quite > quiet
quiet > quite
advice > advise
advise > advice
choose > chose
of > off
where > were
though > through
thorough > through
desert > dessert
dessert > desert
later > latter
latter > later
adopt > adapt
adopted > adapted
personal > personnel
personnel > personal
morale > moral
breath > breathe
breathe > breath
device > devise
devise > device
formerly > formally
formally > formerly
proceed > precede
proceeded > preceded
respectively > respectfully
lightning > lightening
conscious > conscience
conscience > conscious
emigrated > immigrated
eminent > imminent
imminent > eminent
access > excess
excess > access
cloth > clothe
clothes > cloths
decent > descent
descent > decent
farther > father
illusion > allusion
lay > lie
lying > laying
raise > rise
raised > rose
sceptic > septic
collaborate > corroborate
collision > collusion
insight > incite
incident > incidence
incidents > incidence
instance > instant
instant > instance
prescribed > proscribed
prosecute > persecute
statue > statute
statute > statue
story > storey
track > tract
uninterested > disinterested
wander > wonder
wandered > wondered
wondered > wandered
wondering > wandering
besides > beside
bathe > bath
cease > seize
confident > confidant
envelope > envelop
human > humane
reality > realty
strip > stripe
suit > suite
tenant > tenet
tenants > tenets
through > thorough
""")

EGGCORNS = pairs("""
bated breath > baited breath
by and large > by in large
case in point > case and point
deep-seated > deep-seeded
for all intents and purposes > for all intensive purposes
free rein > free reign
home in on > hone in on
in the throes > in the throws
just deserts > just desserts
moot point > mute point
nip in the bud > nip in the butt
on tenterhooks > on tender hooks
one and the same > one in the same
pass muster > pass mustard
pored over > poured over
sneak peek > sneak peak
to all intents and purposes > to all intensive purposes
toe the line > tow the line
toed the line > towed the line
under way > under weigh
wreak havoc > reek havoc
wreaked havoc > reeked havoc
with regard to > with regards of
""")

COLLOCATIONS = pairs("""
made a decision > did a decision
make a decision > do a decision
make decisions > do decisions
made a mistake > did a mistake
made mistakes > did mistakes
make a mistake > do a mistake
make an effort > do an effort
made an effort > did an effort
make sure > do sure
made sure > did sure
making sure > doing sure
made use > did use
make use > do use
made progress > did progress
made a note > did a note
make a note > do a note
made notes > did notes
made a list > did a list
take place > make place
took place > made place
takes place > makes place
taken place > made place
take part > make part
took part > made part
taking part > making part
take care > make care
took care > made care
pay attention > make attention
paid attention > made attention
take into account > put into account
taken into account > put into account
take notice > make notice
took notice > made notice
take advantage > make advantage
do harm > make harm
did harm > made harm
do damage > make damage
do business > make business
give an example > do an example
gave a speech > made up a speech
keep a record > hold up a record
kept a record > did a record
asked a question > made a question
ask a question > make a question
asked questions > made questions
ask questions > make questions
catch a cold > take up a cold
caught a cold > got up a cold
heavy rain > strong rain
strong wind > heavy wind
strong winds > heavy winds
strong tea > powerful tea
come to an end > come to a finish
came to an end > came to a finish
come to light > come to lights
had breakfast > ate up a breakfast
lost sight > missed sight
changed his mind > turned his mind
changed her mind > turned her mind
change my mind > turn my mind
told the truth > said the truth
tell the truth > say the truth
told a story > said a story
tells the story > says the story
told me > said me
told him > said him
told her > said her
told us > said us
tell me > say me
tell you > say you
tells you > says you
tell them > say them
do your best > make your best
did his best > made his best
did her best > made her best
do the work > make the work
did the work > made the work
done the work > made up the work
raise the question > rise the question
""")
