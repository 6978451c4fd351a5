import { z } from 'zod'
import { listed, type Phrase, phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { RecipeColumns, RecipeMissing, RecipePatient, RecipeRows, RecipeSplit, RecipeViews } from './cases.js'
import { conflictsOf } from './conflicts.js'
import { RecipeFile, RecipeImages, RecipeJoin } from './files.js'
import { RecipeLabel } from './label.js'

/** Version of the vocabulary. A newer recipe may mean something else by the same keys, and is refused. */
export const RECIPE_VERSION = 1

/** Questions that only a person may be able to answer: the label, the patient, and the meaning of several rows of a case. */
export const RECIPE_QUESTIONS = ['label', 'patient', 'rows'] as const
export type RecipeQuestion = (typeof RECIPE_QUESTIONS)[number]

/**
 * How files become the canonical table that everything else reads: one row for each case, texts as cells. Declarative: nothing in it runs
 * code. Steps have a fixed order: read, missing, join, columns, images, patient, label, split, rows, views.
 */
export const Recipe = z
  .strictObject({
    version: z
      .int()
      .min(1)
      .superRefine((version, context) => {
        if (version <= RECIPE_VERSION) return
        const message = phrase('recipe_too_new', { version: String(version), known: String(RECIPE_VERSION) })
        context.addIssue({ code: 'custom', ...refusal(message, phrase('update_medloom')) })
      })
      .meta({ title: `Version of the recipe: ${RECIPE_VERSION}` }),
    files: z
      .array(RecipeFile)
      .min(1)
      .max(20)
      .optional()
      .meta({ title: 'Tables; the first is the main one. Default: the source itself' }),
    missing: RecipeMissing.optional().meta({ title: 'Codes for missing values, by column' }),
    join: z
      .array(RecipeJoin)
      .min(1)
      .max(20)
      .optional()
      .meta({ title: 'Columns of other tables, added by a key' }),
    columns: z
      .array(RecipeColumns)
      .min(1)
      .max(20)
      .optional()
      .meta({ title: 'Columns parsed from the texts of other columns' }),
    images: z.array(RecipeImages).min(1).max(100).optional().meta({ title: 'Image files of the rows' }),
    patient: RecipePatient.optional().meta({ title: 'Patient of each row' }),
    label: RecipeLabel.optional().meta({ title: 'Label of each row' }),
    split: RecipeSplit.optional().meta({ title: 'Split of each row' }),
    rows: RecipeRows.optional().meta({ title: 'Rule by which several rows of a case become one' }),
    views: RecipeViews.optional().meta({ title: 'Several images of a case as views' }),
    open: z.array(z.enum(RECIPE_QUESTIONS)).min(1).max(RECIPE_QUESTIONS.length).optional().meta({
      title: 'Questions of the proposal without an answer. A training is refused until they are answered',
    }),
  })
  .superRefine(({ files = [], join = [], ...parts }, context) => {
    const refuse = (path: PropertyKey[], message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path, ...refusal(message, hint) })
    for (const { path, message, hint } of conflictsOf(parts)) refuse(path, message, hint)
    const names = files.map(({ name }) => name)
    names.forEach((name, index) => {
      if (names.indexOf(name) < index)
        refuse(['files', index, 'name'], phrase('table_name_taken', { name }), phrase('unique_table_name'))
      else if (index > 0 && !join.some(({ table }) => table === name))
        refuse(['files', index, 'name'], phrase('table_not_joined', { name }), phrase('join_or_remove'))
    })
    const others = names.slice(1)
    join.forEach(({ table }, index) => {
      const path = ['join', index, 'table']
      if (!others.includes(table))
        refuse(
          path,
          phrase('no_such_table', { name: table }),
          others.length > 0
            ? phrase('tables_to_join', { names: listed(others) })
            : phrase('no_tables_to_join'),
        )
      else if (join.findIndex((other) => other.table === table) < index)
        refuse(path, phrase('table_joined_twice', { name: table }), phrase('remove_a_join'))
    })
  })
  .meta({ id: 'Recipe', title: 'Recipe: how files become the table of a training' })
export type Recipe = z.output<typeof Recipe>
export type RecipeInput = z.input<typeof Recipe>

/** Task of the label of a recipe, as far as its kind determines it. */
export function taskOfRecipe(recipe: Recipe | null): 'multilabel' | 'survival' | null {
  const label = recipe?.label
  if (label?.time !== undefined) return 'survival'
  return (label?.findings?.length ?? 0) > 1 ? 'multilabel' : null
}

/** Open questions of a recipe that neither its own parts nor the named columns of the configuration answer. */
export function openQuestions(
  recipe: Recipe | null,
  named: Readonly<Record<Exclude<RecipeQuestion, 'rows'>, boolean>>,
): RecipeQuestion[] {
  if (recipe === null) return []
  const isAnswered = { rows: false, ...named }
  return (recipe.open ?? []).filter((question) => recipe[question] === undefined && !isAnswered[question])
}
