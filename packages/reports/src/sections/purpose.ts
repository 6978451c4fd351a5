import { REPORT_TEXTS, type ReportTextKey, type ReportTexts } from '@medloom/contracts'
import { type Block, paragraph, type Section, type Statement } from '../document/document.js'

const TITLE = 'Purpose and setting'

/** Shown at the top of the report and under its limitations. */
const ELSEWHERE: readonly ReportTextKey[] = ['study_title', 'authors', 'limitations']

/** Information that only the authors have. The software never fills it in. */
export function purposeSection(texts: ReportTexts): Section {
  const keys = (Object.keys(REPORT_TEXTS) as ReportTextKey[]).filter((key) => !ELSEWHERE.includes(key))
  const isComplete = [...keys, 'limitations' as const].every((key) => texts[key])
  const blocks: Block[] = [{ kind: 'statements', items: keys.map((key) => statement(texts, key)) }]
  if (!isComplete)
    blocks.push(
      paragraph(
        'To provide missing texts, set "report" in the training configuration, edit the dataset, or set them in the node GenerateReport.',
      ),
    )
  return { id: 'purpose', title: TITLE, blocks }
}

export function statement(texts: ReportTexts, key: ReportTextKey): Statement {
  const { title, prompt } = REPORT_TEXTS[key]
  return { title, prompt: `${prompt}.`, text: texts[key] ?? null }
}

/** Section that contains a text, for the checklist. */
export function placeOfText(texts: ReportTexts, key: ReportTextKey): string {
  return texts[key] ? TITLE : 'not provided'
}
