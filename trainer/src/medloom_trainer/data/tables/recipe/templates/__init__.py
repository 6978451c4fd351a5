"""Templates: recipes for the layouts of published sets, each in a JSON file of this folder.

    name, title, source     source: the publication that describes the layout
    layouts                 [{recognized_by, recipe}]: the files and columns of each form in which the set is
                            distributed, and the keys of the recipe that differ from the common ones
    recipe, settings        settings: other keys of the configuration, by its part (data, model)
    if_present              patterns of column names that are ignored, or have codes for missing values, in
                            the tables that have them
    questions               [{key, text, options}]: what only a person can decide. Text and titles are codes
                            of contract phrases.json. The first option is what the template does; without
                            options, the text explains what to consider
    unverified              what was not compared with a copy of the set

`recognize` finds the template of a folder.
"""

from medloom_trainer.data.tables.recipe.templates.recognize import recognize
from medloom_trainer.data.tables.recipe.templates.template import Option, Question, Template, read_templates

__all__ = ["Option", "Question", "Template", "read_templates", "recognize"]
