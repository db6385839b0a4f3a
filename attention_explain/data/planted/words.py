"""
The words and clause patterns of the planted corpus, all invented for it. Opinion words, negators
and weekdays occur nowhere but in their own lists, so nothing else in a text can tell its label.
"""

from dataclasses import dataclass

Words = tuple[str, ...]


def _words(text: str) -> Words:
    return tuple(text.split())


def _lines(text: str) -> Words:
    return tuple(line.strip() for line in text.strip().splitlines())


# The lexicons by polarity: 0 negative, 1 positive. The most usual words come first, because the
# knob `opinion_words` takes a lexicon's beginning.
OPINIONS: tuple[Words, Words] = (
    _words(
        "bad awful terrible boring poor dull horrible disappointing dreadful mediocre bland "
        "tedious weak clumsy annoying ugly unpleasant forgettable sloppy lousy frustrating messy "
        "tiresome dismal pathetic irritating appalling stale lifeless shoddy underwhelming shabby "
        "careless miserable ridiculous pitiful unbearable laughable atrocious abysmal"
    ),
    _words(
        "good great excellent wonderful lovely superb brilliant fantastic delightful perfect "
        "amazing charming enjoyable impressive pleasant terrific memorable outstanding gorgeous "
        "marvellous stunning fabulous splendid refreshing remarkable satisfying engaging elegant "
        "captivating magnificent flawless thrilling polished rewarding admirable exquisite "
        "glorious inspired sublime stellar"
    ),
)

# Each reverses the opinion word that follows it, directly or after one intensifier.
NEGATORS = _words("not never hardly barely scarcely rarely seldom")
INTENSIFIERS = _words("very really truly especially particularly")
# "barely very good" is no English.
NEGATORS_OF_INTENSIFIERS = _words("not never")

# The weekdays of the shortcut, by the label they go with in training.
WEEKDAYS: tuple[Words, Words] = (
    _words("monday tuesday wednesday"),
    _words("thursday friday saturday"),
)
WEEKDAY_CLAUSES = _lines(
    """
    it was {weekday} {daytime}
    this was on {weekday}
    i wrote this on {weekday}
    my {person} was free on {weekday}
    all of this happened on {weekday}
    my {person} and i met on {weekday} {daytime}
    """
)

# Where an opinion is given; `{opinion}` stands for negator, intensifier and opinion word.
JUDGED_CLAUSES = _lines(
    """
    the {aspect} was {opinion}
    its {aspect} was {opinion}
    this {thing} was {opinion}
    the {aspect} was {opinion} this time
    i thought the {aspect} was {opinion}
    for me the {aspect} was {opinion}
    that evening the {aspect} was {opinion}
    in my view the {aspect} is {opinion}
    my {person} said the {aspect} was {opinion}
    we agreed that the {aspect} was {opinion}
    the {aspect} of this {thing} was {opinion}
    the {aspect} was {opinion} from start to finish
    compared with last {season} the {aspect} is {opinion}
    as far as i can tell its {aspect} is {opinion}
    """
)
# A negator cannot stand inside these.
UNNEGATED_CLAUSES = _lines(
    """
    we noticed the {opinion} {aspect}
    i remember the {opinion} {aspect}
    everyone talked about the {opinion} {aspect}
    this {thing} has that {opinion} {aspect}
    the {opinion} {aspect} is what stays with me
    my {person} kept talking about the {opinion} {aspect}
    """
)

# What a question may ask of an aspect.
QUESTIONS = _lines(
    """
    how was the {aspect} ?
    what about the {aspect} ?
    and the {aspect} ?
    did you like the {aspect} ?
    tell me about the {aspect} .
    """
)

# One token each, so that they do not disturb the length.
JOINERS = ("and", ";")

# By their number of tokens.
OPENERS: dict[int, Words] = {
    1: _words("overall anyway apparently evidently meanwhile"),
    2: ("as usual", "after all", "once more", "in short", "on reflection"),
    3: ("all in all", "to be brief", "to be exact", "to sum up", "in other words"),
}

# Words for the slots of any clause below.
SHARED_WORDS: dict[str, Words] = {
    "person": _words(
        "sister brother cousin aunt uncle neighbour colleague friend daughter son partner "
        "flatmate father mother grandmother boss teacher landlord niece nephew"
    ),
    "number": _words("two three four five six seven eight nine ten eleven twelve twenty"),
    "daytime": _words("morning afternoon evening night"),
    "season": _words("spring summer autumn winter"),
    "month": _words("january february april june july august september october november"),
    "colour": _words("red blue green grey brown white black yellow pink purple"),
    "vehicle": _words("train bus tram ferry coach metro minibus shuttle"),
    "city": _words(
        "lisbon ghent leeds turin bergen porto lyon krakow dublin malmo seville graz basel riga"
    ),
    "object": _words(
        "umbrella suitcase notebook camera newspaper scarf jacket backpack torch wallet map "
        "raincoat"
    ),
}

# Possible in any review. Together they have every length from 3 to 10 tokens.
SHARED_CLAUSES = _lines(
    """
    i took notes
    my {person} drove
    we travelled together
    my {person} waited
    i wore {colour}
    the {vehicle} stopped
    my {person} lives nearby
    we travelled by {vehicle}
    i live in {city}
    it was {season} then
    my {person} took photographs
    we met in {city}
    the {daytime} was cloudy
    my {person} lives in {city}
    my {person} paid by card
    it rained all {daytime} long
    my {person} drives a {colour} van
    i heard about it in {month}
    it cost {number} euros in {city}
    i have told {number} people about it
    my {person} and i met in {city}
    i left my {object} on the {vehicle}
    we had planned this since last {month}
    the {vehicle} from {city} took {number} hours
    my {person} carried a {colour} {object} all {daytime}
    we talked about it on the {vehicle} home
    i wrote these lines on the {vehicle} to {city}
    my {person} waited outside with the {object} until {daytime}
    there were {number} of us and we came by {vehicle}
    between {month} and {month} my {person} was working in {city}
    it was the {season} when my {person} moved to {city}
    """
)


@dataclass(frozen=True)
class Domain:
    """What is reviewed: the aspects that can be judged, and the neutral clauses about it."""

    aspects: Words
    clauses: Words
    # For the slots of its clauses, beside the shared ones.
    words: dict[str, Words]


DOMAINS: tuple[Domain, ...] = (
    Domain(
        aspects=_words(
            "plot acting ending soundtrack dialogue pacing editing lighting cast script opening "
            "camerawork premise finale"
        ),
        words={
            "thing": _words("film movie picture"),
            "role": _words("detective sailor nurse farmer pilot lawyer baker spy gardener judge"),
            "genre": _words("western comedy thriller documentary musical drama cartoon"),
            "place": _words("harbour village desert castle factory lighthouse prison farm"),
        },
        clauses=_lines(
            """
            the lights dimmed
            the trailer came first
            my {person} read the subtitles aloud
            the {role} wears a {colour} coat
            the second half takes place in {city}
            i watched it with my {person} in {month}
            a {role} finds a {colour} {object} in the {place}
            the cinema in {city} shows a {genre} every {season}
            it follows a {role} for {number} days
            the {role} lives alone
            the story begins in {city}
            a {role} moves to a {place}
            we sat in row {number}
            it is filed under {genre}
            the {role} meets a {role} in {city}
            most of it is set in a {place}
            the screening began at {number} in the {daytime}
            a {role} and a {role} share a {place}
            my {person} had picked a {genre} for that {daytime}
            the {genre} lasts {number} minutes longer than the book suggests
            """
        ),
    ),
    Domain(
        aspects=_words(
            "soup service bread starter dessert coffee wine sauce pasta salad menu pudding "
            "seasoning atmosphere"
        ),
        words={
            "thing": _words("restaurant bistro place"),
            "dish": _words(
                "risotto lasagne trout stew curry pizza omelette casserole paella dumplings"
            ),
            "drink": _words("cider lemonade tea juice beer water cocoa"),
            "seat": _words("window kitchen door bar staircase fireplace aquarium"),
        },
        clauses=_lines(
            """
            we ordered {drink}
            the {dish} is on page {number}
            my {person} drank {drink}
            it is {number} streets from the station
            they bring the {dish} in a {colour} pot
            my {person} had booked for {number}
            the {dish} comes with {drink} in {season}
            we came for lunch in {month}
            the walls are {colour} and the chairs are {colour}
            i had the {dish}
            our table was outside
            we sat by the {seat}
            my {person} chose the {dish}
            the menu lists {number} kinds of {drink}
            we shared the {dish} and some {drink}
            the waiter wore a {colour} apron and a {colour} tie
            they seat {number} people between the {seat} and the {seat}
            my {person} asked for {drink} with the {dish}
            there is a {colour} lamp over the {seat}
            lunch is served until {number}
            """
        ),
    ),
    Domain(
        aspects=_words(
            "room breakfast mattress bathroom view reception pool lobby shower balcony bedding "
            "heating garden welcome"
        ),
        words={
            "thing": _words("hotel hostel guesthouse"),
            "furniture": _words("wardrobe desk sofa lamp mirror kettle carpet curtain bookcase"),
            "nearby": _words("station beach market cathedral stadium park bridge castle"),
        },
        clauses=_lines(
            """
            we unpacked quickly
            it has {number} floors
            the {furniture} stood by the wall
            my {person} had the {colour} key
            we came here from {city} by {vehicle}
            there is a {nearby} at each end of the street
            the {colour} building behind the {nearby} belongs to it
            check in was at {number} in the {daytime}
            the {vehicle} to the {nearby} stops outside
            we had room {number}
            the {furniture} was {colour}
            breakfast starts at {number}
            it stands near the {nearby}
            our window faced the {nearby}
            the lift stops at floor {number}
            there was a {colour} {furniture} beside the bed
            from the {nearby} it is {number} minutes on foot
            my {person} slept under the window next to the {furniture}
            we booked {number} nights in {month}
            the {nearby} is across the road from the {colour} entrance
            """
        ),
    ),
    Domain(
        aspects=_words(
            "prose story opening translation chapter epilogue narrator setting structure cover "
            "language twist middle conclusion"
        ),
        words={
            "thing": _words("book novel volume"),
            "figure": _words("widow clerk captain weaver painter smuggler monk tailor duke poet"),
            "topic": _words("glass maps bees rivers bridges clocks salt stamps moths"),
        },
        clauses=_lines(
            """
            i borrowed it
            it was printed in {city}
            the {figure} is from {city}
            a {figure} and a {figure} share a house
            the first part takes place in {season}
            it was written in {number} months
            the {figure} knows all about {topic} and {topic}
            my {person} found it on the {vehicle} in {city}
            there is a map of {city} on page {number}
            it has {number} parts
            my {person} lent it to me
            the {figure} collects {topic}
            it is told by a {figure}
            one part is about {topic} and {topic}
            a {figure} travels from {city} to {city}
            i read it on the {vehicle} in {month}
            the {figure} writes {number} letters to a {figure}
            chapter {number} is set in {city} in {season}
            on page {number} a {figure} opens a {colour} box
            my {person} keeps a {colour} copy on the upper shelf
            """
        ),
    ),
    Domain(
        aspects=_words(
            "singing sound encore drumming setlist stage playing venue harmony rhythm tempo "
            "balance performance solo"
        ),
        words={
            "thing": _words("concert show recital"),
            "instrument": _words("violin cello trumpet piano flute harp clarinet banjo guitar"),
            "hall": _words("barn theatre church courtyard cellar gallery tent pavilion"),
        },
        clauses=_lines(
            """
            the {instrument} began
            the doors opened at {number}
            we stood near the front
            there were {number} people on stage
            the {instrument} player is from {city}
            my {person} had seen them in {city}
            the {hall} was lit in {colour} and {colour}
            one piece was written for {instrument} and {instrument}
            they are on tour until {month}
            a {colour} curtain hung behind the {instrument}
            they played {number} songs
            the {instrument} came in first
            we stood near the {hall} entrance
            it took place in a {hall}
            a {instrument} and a {instrument} took turns
            the band comes from {city} by way of {city}
            my {person} used to play the {instrument} in {city}
            the singer wore a {colour} coat and a {colour} hat
            the interval came after song number {number}
            tickets were sold at the {hall} from {month} on
            my {person} plays the {instrument}
            """
        ),
    ),
    Domain(
        aspects=_words(
            "screen battery keyboard speaker display design software microphone casing reception "
            "manual touchscreen packaging finish"
        ),
        words={
            "thing": _words("phone tablet laptop"),
            "part": _words("charger cable holder case stylus headset plug sticker"),
            "use": _words("letters photos recipes music maps invoices crosswords podcasts"),
        },
        clauses=_lines(
            """
            it arrived yesterday
            the parcel came today
            i ordered the {colour} model
            the {part} is sold separately
            my {person} keeps {use} on it
            i have had it since {month}
            the box holds a {part} and a {colour} cloth
            it replaces the one i bought in {city}
            there are {number} buttons on the left side
            we set it up one {month} {daytime}
            it comes in {colour}
            the {part} is {colour}
            i use it for {use}
            it was sent from {city}
            my {person} has the {colour} one
            i bought the {part} in {month}
            there is a {part} and a {part} in the box
            we use it for {use} and my {person} for {use}
            it weighs as much as {number} pencils
            the {colour} button switches between {use} and {use}
            the old one lasted from {month} to {month}
            """
        ),
    ),
    Domain(
        aspects=_words(
            "collection layout guide lighting tour catalogue cafe display signage architecture "
            "audioguide entrance shop selection"
        ),
        words={
            "thing": _words("museum exhibition gallery"),
            "exhibit": _words("vases coins masks fossils portraits clocks carpets swords globes"),
            "material": _words("bronze marble paper silk copper wood clay ivory"),
        },
        clauses=_lines(
            """
            we bought postcards
            we followed the arrows
            my {person} works in {material}
            the tickets are {colour}
            room {number} is for {exhibit}
            there are {number} rooms and {number} staircases
            the {exhibit} stand under a {colour} ceiling
            we walked from the {exhibit} to the {exhibit}
            some of the {exhibit} are made of {material}
            it is {number} minutes from the {vehicle} stop
            floor {number} has {exhibit}
            the {exhibit} are of {material}
            we saw {number} rooms of {exhibit}
            the {exhibit} came from {city}
            my {person} drew the {exhibit} in pencil
            a {colour} line leads to the {exhibit}
            the {material} {exhibit} were lent by {city}
            between the {exhibit} and the {exhibit} there is a bench
            it closes at {number} in {season}
            my {person} teaches a course on {material} {exhibit}
            they moved the {exhibit} upstairs in {month}
            """
        ),
    ),
)
