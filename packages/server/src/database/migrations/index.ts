import { FIRST_TABLES } from './0001-first-tables.js'
import { WORKFLOWS } from './0002-workflows.js'
import { TRAINER_HANDLES } from './0003-trainer-handles.js'
import { MODEL_NUMBERS } from './0004-model-numbers.js'
import type { Migration } from './migration.js'

/** Applied in this order, each once, on every database. */
export const MIGRATIONS: readonly Migration[] = [FIRST_TABLES, WORKFLOWS, TRAINER_HANDLES, MODEL_NUMBERS]
