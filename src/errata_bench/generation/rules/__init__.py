"""The corruptor that needs no model: rules that plant what rules can plant well.

Each module holds the rules of some categories; a rule looks at one paragraph and yields every place where it could
plant an error. `corruptor` chooses among them. The lists of words are this project's own. Good enough to try a
pipeline on a text of one's own and to make texts of any size; what a rule plants is of the kinds that checkers look
for, so that a case made so says little about how well a model reads.
"""
