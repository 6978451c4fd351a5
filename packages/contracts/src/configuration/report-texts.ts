import { z } from 'zod'
import { PHRASES } from '../phrases/index.js'

interface ReportTextFacts {
  readonly title: string
  /** Description of the expected text. */
  readonly prompt: string
  /** Maximum number of characters. */
  readonly most: number
}

const LONG = 4000

/**
 * Information that only the authors have: a report prints each text that is given, and "not provided" otherwise. The texts do not affect the
 * training. The items are those of TRIPOD+AI (2024), CLAIM (2024) and model cards that the run's results cannot answer.
 */
export const REPORT_TEXTS = {
  study_title: {
    title: 'Study title',
    prompt: 'Title of every report. Default: the name of the job or of the workflow',
    most: 200,
  },
  authors: { title: 'Authors', prompt: 'Names and affiliations', most: 1000 },
  intended_use: {
    title: 'Intended use',
    prompt:
      'Intended users, patients, point in the care pathway, consequences of the prediction, and current practice without it',
    most: LONG,
  },
  data_source: {
    title: 'Data source',
    prompt: 'Centers, dates, devices, inclusion and exclusion criteria, treatments received',
    most: LONG,
  },
  reference_standard: {
    title: 'Reference standard',
    prompt:
      'How, when and by whom the label was determined, and whether the assessors were blinded to the images and the table',
    most: LONG,
  },
  sample_size: {
    title: 'Sample size',
    prompt: 'Justification of the number of patients',
    most: LONG,
  },
  ethics: { title: 'Ethics', prompt: 'Approval number, and informed consent or its waiver', most: LONG },
  registration: {
    title: 'Registration and protocol',
    prompt: 'Registration of the study, and access to its protocol',
    most: LONG,
  },
  funding: { title: 'Funding', prompt: 'Sources of funding, and the role of the funders', most: LONG },
  interests: { title: 'Competing interests', prompt: 'Competing interests of every author', most: LONG },
  patient_involvement: {
    title: 'Patient and public involvement',
    prompt: 'Involvement of patients and the public in the study',
    most: LONG,
  },
  availability: {
    title: 'Availability of data, code and model',
    prompt: 'Where and under which conditions they are available',
    most: LONG,
  },
  limitations: {
    title: 'Further limitations',
    prompt:
      'Patient selection, label quality, devices, changes over time, and uses for which the model is not suitable',
    most: LONG,
  },
} as const satisfies Record<string, ReportTextFacts>
export type ReportTextKey = keyof typeof REPORT_TEXTS

/** Any text without control characters, except line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression rejects these characters
const PLAIN_TEXT = /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/

const keys = Object.fromEntries(
  Object.entries(REPORT_TEXTS).map(([key, { title, prompt, most }]) => [
    key,
    z
      .string()
      .max(most)
      .regex(PLAIN_TEXT, { error: PHRASES.plain_text_expected })
      .optional()
      .meta({ title: `${title}: ${prompt.charAt(0).toLowerCase()}${prompt.slice(1)}` }),
  ]),
) as Record<ReportTextKey, z.ZodOptional<z.ZodString>>

/** Section `report` of a training configuration, also used by datasets and the node GenerateReport. Plain text. */
export const ReportTexts = z.strictObject(keys).meta({ id: 'ReportTexts', title: 'Report texts' })
export type ReportTexts = z.infer<typeof ReportTexts>

/** Each text from the first source that contains it. A blank text counts as absent, because a form may send empty fields. */
export function firstTexts(...sources: readonly (ReportTexts | null | undefined)[]): ReportTexts {
  const found: ReportTexts = {}
  for (const key of Object.keys(REPORT_TEXTS) as ReportTextKey[]) {
    const text = sources.map((source) => source?.[key]?.trim()).find((given) => given)
    if (text) found[key] = text
  }
  return found
}
