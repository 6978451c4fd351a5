import { METRICS, type MetricName } from '@medloom/contracts/plain'
import type { Messages } from '../define'

const names = Object.fromEntries(Object.entries(METRICS).map(([name, { label }]) => [name, label.en])) as {
  readonly [Name in MetricName]: string
}

/** Names of metrics from the catalog, and of the curves of a training. */
export const en = {
  ...names,
  'of.val': ({ name }: { name: string }) => `${name}, validation`,
  'of.train': ({ name }: { name: string }) => `${name}, training`,
  'of.batch': ({ name }: { name: string }) => `${name} per batch`,
  'of.validation': 'Validation',
  'of.training': 'Training',
  'of.learningRate': 'Learning rate',
  'of.speed': 'Cases per second',
} satisfies Messages
