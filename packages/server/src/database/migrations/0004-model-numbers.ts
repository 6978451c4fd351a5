import type { Migration } from './migration.js'

/** Models are numbered by a counter per kind, and the newest of a kind is found without reading the records. */
export const MODEL_NUMBERS: Migration = {
  name: '0004-model-numbers',
  statements: (ddl) => [
    `ALTER TABLE models ADD COLUMN architecture ${ddl.text} ${ddl.fromJson('record', 'architecture')}`,
    `ALTER TABLE models ADD COLUMN fusion_type ${ddl.text} ${ddl.fromJson('record', 'fusion_type')}`,
    'CREATE INDEX models_by_kind ON models (architecture, fusion_type, number)',
    `CREATE TABLE counters (name ${ddl.text} PRIMARY KEY, value ${ddl.integer} NOT NULL)${ddl.keyedTable}`,
    // A model id is <backbone>_<fusion>_<nnn>.
    `INSERT INTO counters (name, value)
      SELECT 'models:' || kind, max(number) FROM (
        SELECT architecture || '_' || fusion_type AS kind,
          cast(substr(model_id, length(architecture) + length(fusion_type) + 3) AS ${ddl.integer}) AS number
        FROM models
      ) AS numbered GROUP BY kind`,
  ],
}
