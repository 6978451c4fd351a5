import type { NodeConfig } from '@medloom/contracts'
import { paragraph, type Section } from '../../document/document.js'
import type { WorkflowReportInput } from '../../report-input.js'

export type SectionName = NodeConfig<'GenerateReport'>['include_sections'][number]

/** Sections by name, in the order of the report. */
export type Template = Record<SectionName, (input: WorkflowReportInput) => readonly (Section | null)[]>

export function unknownTraining(): Section {
  const text =
    'The job that trained this model is unknown to this service: its epochs and settings are not available.'
  return { id: 'training', title: 'Training', blocks: [paragraph(text)] }
}
