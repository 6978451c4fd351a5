import type { Migration } from './migration.js'

/** Models are numbered by a counter of their kind, and the newest of a kind is found without reading the records. */
export const MODEL_NUMBERS: Migration = {
  name: '0004-model-numbers',
  statements: (ddl) => [
    `ALTER TABLE models ADD COLUMN architecture TEXT ${ddl.fromJson('record', 'architecture')}`,
    `ALTER TABLE models ADD COLUMN fusion_type TEXT ${ddl.fromJson('record', 'fusion_type')}`,
    'CREATE INDEX models_by_kind ON models (architecture, fusion_type, number)',
    `CREATE TABLE counters (name TEXT PRIMARY KEY, value ${ddl.integer} NOT NULL)${ddl.keyedTable}`,
    // A model id is <backbone>_<fusion>_<nnn>.
    `INSERT INTO counters (name, value)
      SELECT 'models:' || architecture || '_' || fusion_type,
        max(cast(substr(model_id, length(architecture) + length(fusion_type) + 3) AS ${ddl.integer}))
      FROM models GROUP BY architecture || '_' || fusion_type`,
  ],
}
