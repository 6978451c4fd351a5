import type { Migration } from './migration.js'

/** Phrases of stored reasons and messages, so that the page shows them in the language of its reader. */
export const REASON_PHRASES: Migration = {
  name: '0036-reason-phrases',
  statements: (ddl) => [
    `ALTER TABLE jobs ADD COLUMN reason_phrases ${ddl.text}`,
    `ALTER TABLE workflow_runs ADD COLUMN reason_phrases ${ddl.text}`,
    `ALTER TABLE studies ADD COLUMN message_phrases ${ddl.text}`,
  ],
}
