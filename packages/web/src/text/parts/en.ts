import type { Messages } from '../define'

/** Words of the parts that every page uses. */
export const en = {
  loading: 'Loading…',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  'copy.byHand': 'Copy it by hand',
  'copy.text': 'Text, selected',
  'copy.why':
    'This browser lets a page copy only over HTTPS or on the machine of the service. Press Ctrl+C, or Cmd+C on a Mac.',
  owner: 'Owner',
  clear: 'Clear',
  choices: ({ name }: { name: string }) => `Choices for ${name}`,
  contents: 'On this page',
  'plot.table': 'As a table',
  'table.selectAll': 'Select all rows shown',
  'table.select': ({ name }: { name: string }) => `Select ${name}`,
  'problem.broken': 'This part of the page failed.',
  'job.started': 'Queued',
  'job.running': 'Running',
  'job.completed': 'Completed',
  'job.failed': 'Failed',
  'job.stopped': 'Stopped',
  'run.pending': 'Waiting',
  'run.running': 'Running',
  'run.success': 'Completed',
  'run.error': 'Failed',
  'run.cancelled': 'Cancelled',
} satisfies Messages
