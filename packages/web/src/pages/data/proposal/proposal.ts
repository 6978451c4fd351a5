import type { BackgroundTask, RecipeProposal, RouteInput } from '@medloom/contracts'
import { stringify } from 'yaml'
import type { InspectRequest } from '../inspect-request'

/** Request of a proposal, as the task stores it. */
export type ProposalRequest = RouteInput<'proposeRecipe'>['body']

/** Field of the request that answers a question of the proposal. */
const ANSWERED_BY = { label: 'label_column', patient: 'patient_column', rows: 'rows_rule' } as const
export type QuestionKey = keyof typeof ANSWERED_BY
/** Answers by question; absent: open. */
export type Answers = Readonly<Partial<Record<QuestionKey, string>>>

export const RULES = [
  'any',
  'majority',
  'first',
  'last',
  'all_agree',
] as const satisfies readonly NonNullable<ProposalRequest['rows_rule']>[]

type Question = RecipeProposal['questions'][number]
/** A question that can be answered here. message: absent if the request answers it already. */
export interface Answerable extends Partial<Pick<Question, 'message' | 'message_phrases'>> {
  readonly key: QuestionKey
  readonly choices: readonly string[]
}

/** Open questions, and those that the request answers, so that an answer can be changed. */
export function answerable({ questions, columns }: RecipeProposal, given: Answers): readonly Answerable[] {
  return (Object.keys(ANSWERED_BY) as QuestionKey[]).flatMap((key): Answerable[] => {
    const all = key === 'rows' ? RULES : columns
    const open = questions.find((question) => question.key === key)
    if (open) return [{ ...open, key, choices: open.choices.length > 0 ? open.choices : all }]
    return given[key] === undefined ? [] : [{ key, choices: all }]
  })
}

/** Decisions that the recipe of a published layout contains, with their alternatives, and notes without any. */
export function remarks({ questions }: RecipeProposal) {
  const others = questions.filter(({ key }) => !(key in ANSWERED_BY))
  return {
    decisions: others.filter(({ choices }) => choices.length > 0),
    notes: others.filter(({ choices }) => choices.length === 0),
  }
}

export function answersOf(request: ProposalRequest): Answers {
  const entries = Object.entries(ANSWERED_BY).map(([key, field]) => [key, request[field]])
  return Object.fromEntries(entries.filter(([, answer]) => answer !== undefined))
}

export function answeredRequest(path: string, answers: Answers): ProposalRequest {
  const entries = Object.entries(answers).map(([key, answer]) => [ANSWERED_BY[key as QuestionKey], answer])
  return { path, ...Object.fromEntries(entries) }
}

/** Keys of `data` that an inspection has as well. */
const INSPECTED = [
  'image_root',
  'label_column',
  'label_columns',
  'time_column',
  'event_column',
  'patient_column',
  'positive_class',
  'slices',
  'ignore_columns',
] as const satisfies readonly (keyof InspectRequest)[]
const isInspected = (key: string) => INSPECTED.some((known) => known === key)

/** Inspection of the table that the proposed recipe makes. */
export function adoptedRequest({ path, recipe, settings }: RecipeProposal): InspectRequest {
  const { image_columns } = settings
  const entries = Object.entries(settings).filter(([key]) => isInspected(key))
  const images = Array.isArray(image_columns) ? image_columns.map((name) => [name, 'image']) : []
  const roles = images.length > 0 ? { roles: Object.fromEntries(images) } : {}
  return { path, ...Object.fromEntries(entries), ...roles, recipe }
}

/** Settings that only a training has, such as test_csv. */
export function trainingSettings({ settings }: RecipeProposal): readonly (readonly [string, unknown])[] {
  return Object.entries(settings).filter(([key]) => !isInspected(key) && key !== 'image_columns')
}

/** The parts of a configuration that read the files by the recipe. */
export function recipeYaml({
  path,
  recipe,
  settings = {},
  model = {},
}: Pick<InspectRequest, 'path' | 'recipe'> & Partial<Pick<RecipeProposal, 'settings' | 'model'>>): string {
  const own = Object.keys(model).length > 0 ? { model } : {}
  return stringify({ data: { train_csv: path, ...settings, recipe }, ...own }, { lineWidth: 0 })
}

/** Errors of a plain inspection after which a recipe may read the files. */
const UNREADABLE: ReadonlySet<string> = new Set(['DATASET_INVALID', 'CSV_MALFORMED'])

/** Whether an inspection failed because the files are not arranged as expected. A CSV that cannot be read needs a correction, not a recipe. */
export function needsRecipe({ state, error, request }: Pick<BackgroundTask, 'state' | 'error' | 'request'>) {
  const { path, recipe } = request as InspectRequest
  if (state !== 'failed' || !error || recipe) return false
  return UNREADABLE.has(error.code) && !/\.csv$/i.test(path)
}
