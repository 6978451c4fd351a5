import { FIRST_TABLES } from './0001-first-tables.js'
import { WORKFLOWS } from './0002-workflows.js'
import { TRAINER_HANDLES } from './0003-trainer-handles.js'
import { MODEL_NUMBERS } from './0004-model-numbers.js'
import { JOB_PLACES } from './0005-job-places.js'
import { SUMMARIES } from './0006-summaries.js'
import { WORKFLOW_DOCUMENTS } from './0007-workflow-documents.js'
import { METRIC_LEVELS } from './0008-metric-levels.js'
import { WRITTEN_FILES } from './0009-written-files.js'
import { STALLED_JOBS } from './0010-stalled-jobs.js'
import { WORKFLOW_DELETIONS } from './0011-workflow-deletions.js'
import { REMOVALS } from './0012-removals.js'
import { RUN_COUNTS } from './0013-run-counts.js'
import { FINE_TUNING } from './0014-fine-tuning.js'
import { BASELINE_VERDICTS } from './0015-baseline-verdicts.js'
import { STUDIES } from './0016-studies.js'
import { SEARCHES } from './0017-searches.js'
import { ENSEMBLES } from './0018-ensembles.js'
import { EVALUATION_LISTS } from './0019-evaluation-lists.js'
import { JOB_LISTS } from './0020-job-lists.js'
import { RESUMED_CHECKPOINTS } from './0021-resumed-checkpoints.js'
import { RESOURCES } from './0022-resources.js'
import { TASKS } from './0023-tasks.js'
import { NODE_SECONDS } from './0024-node-seconds.js'
import { WORKFLOW_REVISIONS } from './0025-workflow-revisions.js'
import { PEOPLE } from './0026-people.js'
import { CONTROLLERS } from './0027-controllers.js'
import { CONTROLLER_BEATS } from './0028-controller-beats.js'
import { WRITTEN_FILE_OWNERS } from './0029-written-file-owners.js'
import { IDENTIFIER_READS } from './0030-identifier-reads.js'
import { ENDED_LOGINS } from './0031-ended-logins.js'
import { KNOWN_ROOTS } from './0032-known-roots.js'
import { WORKFLOW_DEFAULTS } from './0033-workflow-defaults.js'
import { PREDICTIONS } from './0034-predictions.js'
import { ALIASES } from './0035-aliases.js'
import { REASON_PHRASES } from './0036-reason-phrases.js'
import { REFUSED_PHRASES } from './0037-refused-phrases.js'
import { FOLLOW_UPS } from './0038-follow-ups.js'
import { EVALUATED_WEIGHTS } from './0039-evaluated-weights.js'
import type { Migration } from './migration.js'

/** Applied in this order, each once, on every database. */
export const MIGRATIONS: readonly Migration[] = [
  FIRST_TABLES,
  WORKFLOWS,
  TRAINER_HANDLES,
  MODEL_NUMBERS,
  JOB_PLACES,
  SUMMARIES,
  WORKFLOW_DOCUMENTS,
  METRIC_LEVELS,
  WRITTEN_FILES,
  STALLED_JOBS,
  WORKFLOW_DELETIONS,
  REMOVALS,
  RUN_COUNTS,
  FINE_TUNING,
  BASELINE_VERDICTS,
  STUDIES,
  SEARCHES,
  ENSEMBLES,
  EVALUATION_LISTS,
  JOB_LISTS,
  RESUMED_CHECKPOINTS,
  RESOURCES,
  TASKS,
  NODE_SECONDS,
  WORKFLOW_REVISIONS,
  PEOPLE,
  CONTROLLERS,
  CONTROLLER_BEATS,
  WRITTEN_FILE_OWNERS,
  IDENTIFIER_READS,
  ENDED_LOGINS,
  KNOWN_ROOTS,
  WORKFLOW_DEFAULTS,
  PREDICTIONS,
  ALIASES,
  REASON_PHRASES,
  REFUSED_PHRASES,
  FOLLOW_UPS,
  EVALUATED_WEIGHTS,
]
