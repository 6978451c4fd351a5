import { z } from 'zod'
import { type Phrase, phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { cell, cellPattern, column, columns, filledCell, pathPattern } from './parts.js'
import { placeholdersOf } from './pattern.js'

/** Columns parsed from the texts of another column. */
export const RecipeColumns = z
  .strictObject({
    from: column.meta({ title: 'Column whose texts are parsed' }),
    pattern: cellPattern.meta({
      title: 'Pattern of the whole text; each placeholder becomes a column: {patient}/{study}/{_}.jpg',
    }),
  })
  .superRefine(({ pattern }, context) => {
    if (placeholdersOf(pattern).length > 0) return
    const hint = phrase('placeholder_for_column', { placeholder: '{name}' })
    context.addIssue({ code: 'custom', path: ['pattern'], ...refusal(phrase('no_placeholder'), hint) })
  })
  .meta({ id: 'RecipeColumns' })

/** The patient of each row: a column, or a part of the text of a column. */
export const RecipePatient = z
  .strictObject({
    column: column.optional().meta({ title: 'Patient column' }),
    from: column
      .optional()
      .meta({ title: 'Instead of column: column whose text contains the patient, such as a path' }),
    pattern: cellPattern.optional().meta({
      title:
        'Pattern of that text with one placeholder, which becomes the patient column: {_}/{patient}/{_}/{_}.jpg',
    }),
  })
  .superRefine(({ column, from, pattern }, context) => {
    const parsed = from !== undefined && pattern !== undefined
    const refuse = (key: string, message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path: [key], ...refusal(message, hint) })
    if ((column === undefined) !== parsed || (column !== undefined && (from ?? pattern) !== undefined))
      refuse('column', phrase('patient_twice'), phrase('locate_patient'))
    else if (pattern !== undefined && placeholdersOf(pattern).length !== 1)
      refuse(
        'pattern',
        phrase('one_placeholder'),
        phrase('one_named_placeholder', { patient: '{patient}', any: '{_}' }),
      )
  })
  .meta({ id: 'RecipePatient' })

/** Codes for missing values. */
export const RecipeMissing = z
  .strictObject({
    columns: z.record(column, z.array(cell).max(1000)).optional().meta({
      title:
        'Column → texts that mean a missing value, instead of the standard list (NA, None, …). An empty cell is always missing',
    }),
    everywhere: z.array(filledCell).min(1).max(1000).optional().meta({
      title: 'Texts that mean a missing value in all other columns, in addition to the standard list',
    }),
  })
  .refine(
    (missing) => missing.columns !== undefined || missing.everywhere !== undefined,
    refusal(phrase('columns_or_everywhere')),
  )
  .meta({ id: 'RecipeMissing' })

export const ROW_RULES = ['any', 'majority', 'first', 'last', 'all_agree'] as const

/** Answers to the question of a proposal about the rows of a case; each: every row is a case. */
export const ROW_ANSWERS = [...ROW_RULES, 'baseline', 'each'] as const

/** Several rows of a case, which become one. */
export const RecipeRows = z
  .strictObject({
    case: columns.meta({ title: 'Columns that identify a case' }),
    rule: z.enum(ROW_RULES).meta({
      title:
        'Label of a case: positive if any row is; of the majority; of the first or last row; or only cases whose rows all agree',
    }),
    order_by: column.optional().meta({
      title: 'Column of numbers or ISO dates that orders the rows of a case. Default: the order of the file',
    }),
    positive: filledCell
      .optional()
      .meta({ title: 'Class of a case if any of its rows has this class (rule any). Default: yes or 1' }),
    visit: z
      .strictObject({
        column: column.meta({ title: 'Column of the visit' }),
        values: z.array(cell).min(1).max(1000).meta({ title: 'Visits whose rows are used, such as bl' }),
      })
      .optional()
      .meta({ title: 'Visits that count; rows of others are left out' }),
  })
  .superRefine(({ rule, positive }, context) => {
    if (positive === undefined || rule === 'any') return
    context.addIssue({
      code: 'custom',
      path: ['positive'],
      ...refusal(phrase('positive_without_any', { rule }), phrase('no_positive_or_any')),
    })
  })
  .meta({ id: 'RecipeRows' })

/** Several images of a case, which become columns. */
export const RecipeViews = z
  .strictObject({
    case: columns.meta({ title: 'Columns that identify a case' }),
    by: columns.meta({ title: 'Columns whose values name the views, such as laterality and view' }),
    columns: columns.optional().meta({
      title: 'Columns that each view has. Default: the image columns',
    }),
  })
  .meta({ id: 'RecipeViews' })

const words = (split: string) =>
  z
    .array(filledCell)
    .min(1)
    .max(1000)
    .optional()
    .meta({ title: `Values that mean ${split}` })
const list = (split: string) => pathPattern.optional().meta({ title: `List of the ${split} rows` })

/** The split of each row: a column and its words, or lists of values in files. */
export const RecipeSplit = z
  .strictObject({
    column: column.meta({
      title: 'Column of the split or, with files, the column whose values the files list',
    }),
    words: z
      .strictObject({
        train: words('train'),
        val: words('val'),
        test: words('test'),
        unused: words('none of them; these rows are left out'),
      })
      .optional()
      .meta({ title: 'Values of the column for each split. Every value that occurs must be listed' }),
    files: z
      .strictObject({ train: list('training'), val: list('validation'), test: list('test') })
      .refine(
        (files) => Object.values(files).some((file) => file !== undefined),
        refusal(phrase('list_needed')),
      )
      .optional()
      .meta({
        title:
          'Text files or CSVs that list values of the column, one per line; rows that no file lists are left out',
      }),
  })
  .superRefine(({ words, files }, context) => {
    const refuse = (path: string[], message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path, ...refusal(message, hint) })
    if (words !== undefined && files !== undefined)
      refuse(['files'], phrase('words_and_files'), phrase('remove_one_of_them'))
    const splitOf = new Map<string, string>()
    for (const [split, values] of Object.entries(words ?? {}))
      for (const word of values ?? []) {
        const other = splitOf.get(word) ?? split
        if (other !== split)
          refuse(
            ['words', split],
            phrase('two_splits', { value: word, first: other, second: split }),
            phrase('list_under_one'),
          )
        splitOf.set(word, other)
      }
  })
  .meta({ id: 'RecipeSplit' })
