import { sql } from 'kysely'
import type { Migration, Work } from './migration.js'

/** Notes and tags of a job, and the columns that lists of jobs search, sort and show without reading all documents. */
export const JOB_LISTS: Migration = {
  name: '0020-job-lists',
  statements: (ddl) => [
    `ALTER TABLE jobs ADD COLUMN tags ${ddl.text} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE jobs ADD COLUMN note ${ddl.text} NOT NULL DEFAULT ''`,
    `ALTER TABLE jobs ADD COLUMN pinned ${ddl.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE jobs ADD COLUMN archived ${ddl.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE jobs ADD COLUMN duration_seconds ${ddl.real} ${ddl.secondsBetween('started_at', 'ended_at')}`,
    `ALTER TABLE jobs ADD COLUMN headline ${ddl.text} ${ddl.fieldsOf({
      task: ['prepared', 'task'],
      named_task: ['config', 'model.task'],
      ...SETTINGS,
    })}`,
    `ALTER TABLE jobs ADD COLUMN searched ${ddl.text} ${ddl.joinedText([
      'job_name',
      'tags',
      'note',
      // A path below a root is stored as an object.
      { column: 'config', fields: ['data.train_csv.path', 'data.train_csv'] },
    ])}`,
    // Every column by which a list is filtered or sorted: the rows themselves, which contain documents, are read for one page only.
    `CREATE INDEX jobs_listed ON jobs (archived, number${ddl.alsoIndexed(LISTED)})`,
    `CREATE INDEX jobs_listed_by_status ON jobs (archived, status, number${ddl.alsoIndexed(LISTED.replace('status, ', ''))})`,
    `CREATE INDEX jobs_tagged ON jobs (${ddl.longText('tags')}) WHERE tags <> '[]'`,
    `CREATE TABLE job_best_metrics (
      number ${ddl.integer} NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
      metric ${ddl.text} NOT NULL, value ${ddl.real} NOT NULL,
      PRIMARY KEY (number, metric)
    )${ddl.keyedTable}`,
    copyBestMetrics,
  ],
}

const LISTED = 'status, pinned, study_id, job_id, job_name, duration_seconds, tags, searched'

const SETTINGS: Readonly<Record<string, readonly [column: string, field: string]>> = Object.fromEntries(
  [
    'data.train_csv',
    'model.vision_backbone',
    'model.fusion_type',
    'model.pretrained',
    'data.image_size',
    'data.fold',
    'training.batch_size',
    'training.learning_rate',
    'training.optimizer',
    'training.device',
    'training.seed',
  ].map((field) => [field.split('.')[1] ?? field, ['config', field]]),
)

const copyBestMetrics: Work = async (transaction) => {
  const { rows } = await sql<{
    number: number
    best: string
  }>`SELECT number, best FROM jobs WHERE best IS NOT NULL`.execute(transaction)
  for (const { number, best } of rows)
    for (const [metric, value] of Object.entries(JSON.parse(best).metrics ?? {}))
      if (typeof value === 'number')
        await sql`INSERT INTO job_best_metrics VALUES (${number}, ${metric}, ${value})`.execute(transaction)
}
