import type { NodeConfig } from '@medloom/contracts'
import { paragraph, type Section } from '../../document/document.js'
import type { WorkflowReportInput } from '../../report-input.js'

export type SectionName = NodeConfig<'GenerateReport'>['include_sections'][number]

/** Sections by name, in the order of the report. */
export type Template = Record<SectionName, (input: WorkflowReportInput) => readonly (Section | null)[]>

export function unknownTraining(): Section {
  const text =
    'This service has no record of the job that trained this model, so its epochs and settings are not available.'
  return { id: 'training', title: 'Training', blocks: [paragraph(text)] }
}
