// Serrano & Smith 2019: one weight dropped, and weights removed until the decision flips.
['drop-top', 'removal-order']
