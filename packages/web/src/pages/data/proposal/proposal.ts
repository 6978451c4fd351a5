import type { BackgroundTask, RecipeProposal, RouteInput } from '@medloom/contracts'
import { stringify } from 'yaml'
import type { InspectRequest } from '../inspect-request'

/** Request of a proposal, as the task stores it. */
export type ProposalRequest = RouteInput<'proposeRecipe'>['body']

/** Field of the request that answers a question of the proposal; the decisions of a published layout have one field. */
const ANSWERED_BY = { label: 'label_column', patient: 'patient_column', rows: 'rows_rule' } as const
type QuestionKey = keyof typeof ANSWERED_BY
const isQuestion = (key: string): key is QuestionKey => key in ANSWERED_BY
/** Answers by question; absent: open, or decided as the layout does. */
export type Answers = Readonly<Record<string, string>>

export const RULES = [
  'any',
  'majority',
  'first',
  'last',
  'all_agree',
  'baseline',
  'each',
] as const satisfies readonly NonNullable<ProposalRequest['rows_rule']>[]

/** Choice of the question about the patient: no column identifies patients. */
export const NO_COLUMN = '\0'

type Question = RecipeProposal['questions'][number]
/** A question of one of three states: open; answered by the request, without a message; or decided by the first choice. */
export interface Answerable
  extends Partial<Pick<Question, 'message' | 'message_phrases' | 'choices_phrases'>> {
  readonly key: string
  readonly choices: readonly string[]
  readonly isDecided?: true
}

/** Open questions, those that the request answers, so that an answer can be changed, and the decisions of a published layout. */
export function answerable({ questions, columns }: RecipeProposal, given: Answers): readonly Answerable[] {
  const own = (Object.keys(ANSWERED_BY) as QuestionKey[]).flatMap((key): Answerable[] => {
    const all = key === 'rows' ? RULES : columns
    const none = key === 'patient' ? [NO_COLUMN] : []
    const open = questions.find((question) => question.key === key)
    if (open) return [{ ...open, choices: [...(open.choices.length > 0 ? open.choices : all), ...none] }]
    return given[key] === undefined ? [] : [{ key, choices: [...all, ...none] }]
  })
  const decisions = questions.filter(({ key, choices }) => !isQuestion(key) && choices.length > 0)
  return [...own, ...decisions.map((question) => ({ ...question, isDecided: true as const }))]
}

/** Notes on a published layout, which have no choices. */
export function notes({ questions }: RecipeProposal): readonly Question[] {
  return questions.filter(({ key, choices }) => !isQuestion(key) && choices.length === 0)
}

export function answersOf({ decisions = {}, ...request }: ProposalRequest): Answers {
  const own = (Object.keys(ANSWERED_BY) as QuestionKey[]).map((key) => {
    const answer = request[ANSWERED_BY[key]]
    return [key, answer === null ? NO_COLUMN : answer]
  })
  return { ...Object.fromEntries(own.filter(([, answer]) => answer !== undefined)), ...decisions }
}

export function answeredRequest(path: string, answers: Answers): ProposalRequest {
  const entries = Object.entries(answers)
  const own = entries.flatMap(([key, answer]) =>
    isQuestion(key) ? [[ANSWERED_BY[key], answer === NO_COLUMN ? null : answer]] : [],
  )
  const decisions = entries.filter(([key]) => !isQuestion(key))
  return {
    path,
    ...Object.fromEntries(own),
    ...(decisions.length > 0 ? { decisions: Object.fromEntries(decisions) } : {}),
  }
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
