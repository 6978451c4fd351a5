import type { Migration } from './migration.js'

export const TRAINER_HANDLES: Migration = {
  name: '0003-trainer-handles',
  statements: () => [
    'ALTER TABLE jobs RENAME COLUMN process TO handle',
    // Before this step, every trainer was a process of this machine.
    `UPDATE jobs SET handle = '{"launcher":"local",' || substr(handle, 2) WHERE handle IS NOT NULL`,
  ],
}
