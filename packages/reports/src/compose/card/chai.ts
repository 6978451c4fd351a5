import { type Block, type Fact, paragraph } from '../../document/document.js'
import { formatTime } from '../../document/numbers.js'
import { blank, written } from './author-texts.js'
import type { ModelCard } from './model-card.js'
import { type Heading, heading, writeHeadings } from './write-card.js'

const FORM = 'Headings of the Applied Model Card of the Coalition for Health AI (CHAI), version 0.2.'

/** Applied Model Card of the Coalition for Health AI, with the headings of its schema 0.2. */
export function writeChaiCard(card: ModelCard): string {
  return writeHeadings([
    heading(1, `Applied Model Card: ${card.id}`, paragraph(FORM)),
    ...release(card),
    ...uses(card),
    ...warnings(card),
    ...ingredients(card),
    ...metrics(card),
    ...resources(card),
  ])
}

function release(card: ModelCard): Heading[] {
  const known = (caption: string, items: readonly Fact[]): Block => ({ kind: 'facts', caption, items })
  return [
    heading(
      2,
      'Basic Information',
      known('Model', [
        { term: 'Model name', value: card.id },
        { term: 'Title', value: card.title },
      ]),
      written(card, 'authors'),
      blank('Developer contact', 'Person or group to contact.'),
    ),
    heading(
      2,
      'Release Information',
      known('Release', [
        { term: 'Release date', value: formatTime(card.createdAt), note: 'registration of the model' },
        { term: 'Release version', value: card.id },
      ]),
      blank('Release stage', 'Development, pilot, or in use.'),
      written(card, 'availability'),
      blank('EHR compatibility', 'Record systems with which the model works.'),
      blank('Regulatory approval', 'Approvals and their numbers, if any.'),
    ),
    heading(
      2,
      'Model Summary',
      paragraph(card.summary),
      paragraph(`Keywords: ${card.metadata.tags.join(', ')}.`),
    ),
  ]
}

function uses(card: ModelCard): Heading[] {
  return [
    heading(2, 'Uses and Directions'),
    heading(3, 'Intended Use and Workflow', written(card, 'intended_use')),
    heading(3, 'Primary Intended Users', blank('Primary intended users', 'Professions and their training.')),
    heading(3, 'How to Use', blank('How to use', 'Steps, and what to do with a prediction.')),
    heading(
      3,
      'Targeted Patient Population',
      blank('Targeted patient population', 'Inclusion and exclusion criteria.'),
    ),
    heading(
      3,
      'Cautioned Out-of-Scope Settings and Use Cases',
      blank('Out-of-scope settings', 'Patients, settings and uses to exclude.'),
    ),
  ]
}

function warnings(card: ModelCard): Heading[] {
  return [
    heading(2, 'Warnings', paragraph('For research use only, not a medical device.')),
    heading(3, 'Known Risks and Limitations', ...card.cautions, ...card.limitations),
    heading(
      3,
      'Known Biases or Ethical Considerations',
      paragraph('Performance by subgroup: see Fairness and Equity.'),
      written(card, 'ethics'),
      blank('Known biases', 'Biases of the data and of the model.'),
    ),
    heading(3, 'Clinical Risk Level', blank('Clinical risk level', 'Level and the scale that it refers to.')),
  ]
}

function ingredients(card: ModelCard): Heading[] {
  return [
    heading(2, 'Trust Ingredients'),
    heading(3, 'AI System Facts'),
    heading(4, 'Outcomes and Outputs', ...card.outputs),
    heading(4, 'Model Type', ...card.training),
    heading(4, 'Foundation Models', ...card.pretrained),
    heading(4, 'Input Data Source', written(card, 'data_source')),
    heading(4, 'Output and Input Data Types', ...card.inputs, ...card.missing, ...card.preprocessing),
    heading(
      4,
      'Development Data Characterization',
      ...card.data,
      written(card, 'reference_standard', 'sample_size'),
    ),
    heading(
      4,
      'Bias Mitigation Approaches',
      blank('Bias mitigation', 'Measures against bias in the data, the training and the use.'),
    ),
    heading(4, 'Ongoing Maintenance', blank('Ongoing maintenance', 'Monitoring, updates and withdrawal.')),
    heading(4, 'Security', blank('Security', 'Protection of the model and of the data in use.')),
    heading(4, 'Transparency', ...card.reproducibility, ...card.software),
    heading(3, 'Transparency Information'),
    heading(4, 'Funding Source', written(card, 'funding', 'interests')),
    heading(4, 'Third-Party Information', blank('Third-party information', 'Third parties and their part.')),
    heading(4, 'Stakeholders Consulted', written(card, 'patient_involvement')),
  ]
}

/** Each group of metrics with the fields that the form asks for. */
function metrics(card: ModelCard): Heading[] {
  const group = (title: string, results: readonly Block[]): Heading[] => [
    heading(3, title),
    heading(4, 'Goal of Metrics', blank('Goal', 'Performance that the use requires, and why.')),
    heading(4, 'Results', ...(results.length > 0 ? results : [paragraph('Not measured.')])),
    heading(4, 'Interpretation', blank('Interpretation', 'Meaning of the results for the use.')),
    heading(4, 'Test Type', paragraph(card.testing)),
    heading(
      4,
      'Testing Data Description',
      paragraph('See Development Data Characterization for cases, patients and digests of every split.'),
    ),
    heading(
      4,
      'Validation Process and Justification',
      blank('Validation process', 'Why these data and this procedure are suitable.'),
    ),
  ]
  return [
    heading(2, 'Key Metrics'),
    ...group('Usefulness, Usability, and Efficacy', card.performance),
    ...group('Fairness and Equity', card.subgroups),
    ...group('Safety and Reliability', [...card.calibration, ...card.thresholds]),
  ]
}

function resources(card: ModelCard): Heading[] {
  return [
    heading(2, 'Resources'),
    heading(
      3,
      'Evaluation References',
      blank('Evaluation references', 'Reports of independent evaluations.'),
    ),
    heading(3, 'Clinical Trial', written(card, 'registration')),
    heading(3, 'Peer-Reviewed Publications', blank('Publications', 'Publications about the model.')),
    heading(3, 'Reimbursement Status', blank('Reimbursement status', 'Codes and payers, if any.')),
    heading(
      3,
      'Patient Consent or Disclosure',
      blank('Patient consent', 'Consent required, or information given to patients.'),
    ),
    heading(2, 'Bibliography', blank('Bibliography', 'References in BibTeX.')),
  ]
}
