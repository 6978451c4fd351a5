import type { Format, Messages } from '../define'

/** The first page. */
export const en = {
  title: 'Home',
  lead: 'Models that read medical images and tables together.',
  'example.try': 'Try the example',
  'example.name': 'Example',
  'example.lead':
    'The example is synthetic: 400 lesions with an image and a table each, and a training of about a minute.',
  'example.making': 'Making the example data…',
  'own.use': 'Use my data',
  'first.title': 'Begin',
  'start.training': 'New training',
  'running.title': 'Running',
  'running.empty': 'Nothing is running.',
  'ended.title': 'Finished last',
  'ended.empty': 'No training has finished yet.',
  'failed.title': 'Failed, and why',
  'failed.empty': 'Nothing failed.',
  'machine.title': 'This machine',
  'machine.gpu': 'GPU',
  'machine.gpu.none': 'None; trainings run on the processor.',
  'machine.processor': 'Processor',
  'machine.cores': ({ count, model }: { count: number; model: string }, f: Format) =>
    `${f.number(count)} × ${model}`,
  'machine.memory': 'Memory',
  'machine.disk': 'Disk',
  'machine.free': ({ free, total }: { free: string; total: string }) => `${free} free of ${total}`,
  epoch: ({ epoch, total }: { epoch: number; total: number }) => `Epoch ${epoch} of ${total}`,
  left: ({ time }: { time: string }) => `about ${time} left`,
  queue: ({ position }: { position: number }) => `${position} in the queue`,
} satisfies Messages
