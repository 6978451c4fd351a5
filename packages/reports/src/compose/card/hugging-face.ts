import { type Block, paragraph } from '../../document/document.js'
import { blank, written } from './author-texts.js'
import type { ModelCard } from './model-card.js'
import { type Heading, heading, writeHeadings } from './write-card.js'
import { writeYaml } from './yaml.js'

/** README.md of a model repository: the metadata, and the headings of the template of the Hugging Face Hub. */
export function writeHuggingFaceCard(card: ModelCard): string {
  const headings = [
    heading(1, `Model Card for ${card.id}`, paragraph(card.summary)),
    ...details(card),
    ...uses(card),
    ...training(card),
    ...evaluation(card),
    ...closing(card),
  ]
  return `---${writeYaml(card.metadata)}\n---\n\n${writeHeadings(headings)}`
}

function details(card: ModelCard): Heading[] {
  return [
    heading(2, 'Model Details'),
    heading(
      3,
      'Model Description',
      { kind: 'facts', caption: 'Study', items: [{ term: 'Title', value: card.title }] },
      written(card, 'authors', 'funding'),
      blank('License', 'License of the weights.'),
      ...card.outputs,
      ...card.pretrained,
    ),
    heading(3, 'Model Sources', written(card, 'availability', 'registration')),
  ]
}

function uses(card: ModelCard): Heading[] {
  return [
    heading(2, 'Uses'),
    heading(3, 'Direct Use', written(card, 'intended_use')),
    heading(3, 'Out-of-Scope Use', blank('Out-of-scope use', 'Patients, settings and uses to exclude.')),
    heading(2, 'Bias, Risks, and Limitations', ...card.cautions, ...card.limitations),
    heading(
      3,
      'Recommendations',
      paragraph('For research use only, not a medical device.'),
      blank('Recommendations', 'Advice for users with respect to these risks and limitations.'),
    ),
    heading(2, 'How to Get Started with the Model', getStarted(card)),
  ]
}

function getStarted({ id }: ModelCard): Block {
  return {
    kind: 'code',
    caption: 'With Medloom',
    text: `medloom models predict ${id} cases.csv --output predictions.csv`,
  }
}

function training(card: ModelCard): Heading[] {
  return [
    heading(2, 'Training Details'),
    heading(
      3,
      'Training Data',
      written(card, 'data_source', 'reference_standard', 'sample_size'),
      ...card.data,
    ),
    heading(3, 'Training Procedure'),
    heading(4, 'Preprocessing', ...card.inputs, ...card.missing, ...card.preprocessing),
    heading(4, 'Training Hyperparameters', ...card.training),
  ]
}

function evaluation(card: ModelCard): Heading[] {
  return [
    heading(2, 'Evaluation'),
    heading(3, 'Testing Data, Factors & Metrics'),
    heading(4, 'Testing Data', paragraph(card.testing)),
    heading(4, 'Factors', ...card.factors),
    heading(4, 'Metrics', ...card.metrics),
    heading(3, 'Results', ...card.performance, ...card.subgroups, ...card.calibration, ...card.thresholds),
  ]
}

function closing(card: ModelCard): Heading[] {
  return [
    heading(
      2,
      'Environmental Impact',
      blank('Environmental impact', 'Energy and emissions of the training.'),
    ),
    heading(2, 'Technical Specifications'),
    heading(3, 'Compute Infrastructure', ...card.reproducibility),
    heading(4, 'Software', ...card.software),
    heading(2, 'Citation', blank('Citation', 'Publication to cite.')),
    heading(2, 'More Information', written(card, 'ethics', 'interests', 'patient_involvement')),
    heading(2, 'Model Card Authors', written(card, 'authors')),
    heading(2, 'Model Card Contact', blank('Contact', 'Person or group to contact.')),
  ]
}
