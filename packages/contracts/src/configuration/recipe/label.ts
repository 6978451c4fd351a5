import { z } from 'zod'
import { type Phrase, phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { cell, cellKey, column, columns, filledCell } from './parts.js'

const UNCERTAIN = ['missing', 'positive', 'negative', 'drop'] as const
const TIME_UNITS = ['days', 'weeks', 'months', 'years'] as const

/** The label of a case: classes of a column, a one-hot group, several findings, or time and event. */
export const RecipeLabel = z
  .strictObject({
    column: column.optional().meta({ title: 'Column with the class, or with the findings as a list' }),
    name: column
      .optional()
      .meta({ title: 'Name of the label column that is made. Default: the column itself, or label' }),
    map: z.record(cellKey, cell).optional().meta({
      title: 'Text of the column → class. Every text that occurs must be listed; an empty class is missing',
    }),
    classes: z.array(filledCell).min(1).max(1000).optional().meta({
      title: 'Texts of the column that are classes although they are markers of missing values, such as None',
    }),
    one_hot: columns.min(2).optional().meta({
      title: 'Instead of column: columns of which exactly one is positive in each row; its name is the class',
    }),
    findings: columns.optional().meta({
      title:
        'Findings, each with yes or no: columns of the table or, with delimiter, texts of the list in column',
    }),
    delimiter: z
      .string()
      .min(1)
      .max(10)
      .optional()
      .meta({ title: 'Text between the findings of the list in column' }),
    none: z.array(cell).min(1).max(1000).optional().meta({
      title: 'Texts of the list that set none of the findings, such as No Finding',
    }),
    uncertain: z.record(cellKey, z.enum(UNCERTAIN)).optional().meta({
      title: 'Code of an uncertain label → missing, positive, negative, or drop to leave the row out',
    }),
    time: column.optional().meta({ title: 'Survival: column of the follow-up time' }),
    event: column.optional().meta({ title: 'Survival: column of the event' }),
    event_map: z
      .record(cellKey, z.union([z.literal(0), z.literal(1)]))
      .optional()
      .meta({
        title:
          'Survival: text of the event column → 1 (event) or 0 (censored). Every text that occurs must be listed',
      }),
    incomplete: z.literal('drop').optional().meta({
      title:
        'Survival: drop, to leave out rows without an event or without a time above 0. Default: refuse them',
    }),
    time_unit: z
      .strictObject({
        from: z.enum(TIME_UNITS).meta({ title: 'Unit in the file' }),
        to: z.enum(TIME_UNITS).meta({ title: 'Unit of the results' }),
      })
      .optional()
      .meta({ title: 'Survival: unit of the follow-up time, and the unit that it is converted to' }),
  })
  .superRefine((label, context) => {
    const refuse = (key: string, message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path: [key], ...refusal(message, hint) })
    const kind = kindOfLabel(label)
    if (kind === null) return refuse('column', phrase('label_not_located'), phrase('locate_label'))
    for (const key of Object.keys(label) as (keyof typeof label)[])
      if (label[key] !== undefined && !KEYS[kind].includes(key))
        refuse(
          key,
          phrase('key_not_of_label', { key, kind: [phrase(WORDS[kind])] }),
          phrase('remove_key', { key }),
        )
    for (const key of REQUIRED[kind])
      if (label[key] === undefined)
        refuse(
          key,
          phrase('label_requires_key', { kind: [phrase(WORDS[kind])], key }),
          phrase('set_key', { key }),
        )
    for (const key of ['findings', 'one_hot'] as const)
      if (new Set(label[key]).size < (label[key]?.length ?? 0))
        refuse(key, phrase('names_column_twice', { key }), phrase('remove_one_of_them'))
    if (
      kind === 'classes' &&
      Object.values(label.uncertain ?? {}).some((way) => way === 'positive' || way === 'negative')
    )
      refuse('uncertain', phrase('class_without_sign'), phrase('missing_drop_or_map'))
  })
  .meta({ id: 'RecipeLabel' })
type Label = z.output<typeof RecipeLabel>

const WORDS = {
  classes: 'label_kind_classes',
  one_hot: 'label_kind_one_hot',
  findings: 'label_kind_findings',
  list: 'label_kind_list',
  survival: 'label_kind_survival',
} as const
type LabelKind = keyof typeof WORDS
const KEYS: Readonly<Record<LabelKind, readonly (keyof Label)[]>> = {
  classes: ['column', 'name', 'map', 'classes', 'uncertain'],
  one_hot: ['one_hot', 'name', 'map'],
  findings: ['findings', 'uncertain'],
  list: ['column', 'findings', 'delimiter', 'none', 'uncertain'],
  survival: ['time', 'event', 'event_map', 'time_unit', 'incomplete'],
}
const REQUIRED: Readonly<Record<LabelKind, readonly (keyof Label)[]>> = {
  classes: ['column'],
  one_hot: ['one_hot'],
  findings: ['findings'],
  list: ['column', 'findings', 'delimiter'],
  survival: ['time', 'event'],
}

function kindOfLabel({
  column,
  one_hot,
  findings,
  delimiter,
  time,
  event,
}: Partial<Label>): LabelKind | null {
  if (time !== undefined || event !== undefined) return 'survival'
  if (one_hot !== undefined) return 'one_hot'
  if (delimiter !== undefined) return 'list'
  if (findings !== undefined) return column === undefined ? 'findings' : 'list'
  return column === undefined ? null : 'classes'
}
