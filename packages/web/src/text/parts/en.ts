import type { Messages } from '../define'

/** Components that all pages share. */
export const en = {
  loading: 'Loading…',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  'copy.byHand': 'Copy manually',
  'copy.text': 'Selected text',
  'copy.why':
    'Browsers allow a page to copy only over HTTPS or on the machine that runs the service. Press Ctrl+C, or Cmd+C on a Mac.',
  owner: 'Owner',
  clear: 'Clear',
  choices: ({ name }: { name: string }) => `Options for ${name}`,
  contents: 'On this page',
  'plot.table': 'Show as table',
  'table.selectAll': 'Select all rows shown',
  'table.select': ({ name }: { name: string }) => `Select ${name}`,
  'problem.broken': 'This part of the page could not be displayed.',
  'job.started': 'Queued',
  'job.running': 'Running',
  'job.completed': 'Completed',
  'job.failed': 'Failed',
  'job.stopped': 'Stopped',
  'run.pending': 'Waiting',
  'run.running': 'Running',
  'run.success': 'Completed',
  'run.error': 'Failed',
  'run.cancelled': 'Canceled',
} satisfies Messages
