import { z } from 'zod'
import {
  BACKBONES,
  CheckpointManifest,
  COMPARED_METRICS,
  describeCatalog,
  EpochsHeader,
  ERRORS,
  EvaluationResult,
  EventReference,
  GatewayMessage,
  GatewayRequest,
  LIMITS,
  METRICS,
  MIRRORED_PATHS,
  NODES,
  ORIGIN_COLUMNS,
  PHRASES,
  PRIMARY_METRIC,
  PrewarmedReply,
  PrewarmedRequest,
  RESERVE_BYTES,
  RUN_PATHS,
  RunMetrics,
  StudyConfig,
  SYSTEM_FAULTS,
  TrainerControl,
  TrainerEvent,
  TrainerHeartbeat,
  TrainerResources,
  TrainerSpec,
  TrainingConfig,
  WARNINGS,
  WORKER_TASKS,
  WorkerReply,
  WorkerRequest,
} from '../src/index.js'
import { clientMethods } from './client-methods.js'
import { clientRoutes } from './client-routes.js'
import { GENERATED } from './generated.js'
import { openApi } from './openapi.js'
import { errorsPage, issuesPage, phrasesPage, warningsPage } from './pages/codes.js'
import { configurationPage } from './pages/configuration.js'
import { eventsPage, serviceEventsPage, studyEventsPage, workflowEventsPage } from './pages/events.js'
import { nodesPage } from './pages/nodes.js'
import { routesPage } from './pages/routes.js'
import { pythonCodes } from './python-codes.js'
import { VERSION } from './version.js'

const TRAINER = 'trainer/src/medloom_trainer/contract'

/** Repository path → text of files that are generated but not committed: too large to be reviewed, and read by programs only. */
export function builtFiles(): Record<string, string> {
  return { 'packages/contracts/generated/openapi.json': json(openApi()) }
}

/** Repository path → text of every committed file generated from the contracts. */
export function generatedFiles(): Record<string, string> {
  return {
    'packages/contracts/generated/training-config.schema.json': json(
      z.toJSONSchema(TrainingConfig, { io: 'input', target: 'draft-2020-12' }),
    ),
    'packages/contracts/generated/study.schema.json': json(
      z.toJSONSchema(StudyConfig, { io: 'input', target: 'draft-2020-12' }),
    ),
    'trainer/src/medloom_trainer/__init__.py': pythonVersion(),
    [`${TRAINER}/spec.schema.json`]: json(outputSchema(TrainerSpec)),
    [`${TRAINER}/event.schema.json`]: json(outputSchema(TrainerEvent)),
    [`${TRAINER}/event-reference.schema.json`]: json(outputSchema(EventReference)),
    [`${TRAINER}/control.schema.json`]: json(outputSchema(TrainerControl)),
    [`${TRAINER}/heartbeat.schema.json`]: json(outputSchema(TrainerHeartbeat)),
    [`${TRAINER}/resources.schema.json`]: json(outputSchema(TrainerResources)),
    [`${TRAINER}/checkpoint.schema.json`]: json(outputSchema(CheckpointManifest)),
    [`${TRAINER}/metrics.schema.json`]: json(outputSchema(RunMetrics)),
    [`${TRAINER}/epochs.schema.json`]: json(outputSchema(EpochsHeader)),
    [`${TRAINER}/evaluation.schema.json`]: json(outputSchema(EvaluationResult)),
    [`${TRAINER}/request.schema.json`]: json(outputSchema(WorkerRequest)),
    [`${TRAINER}/reply.schema.json`]: json(outputSchema(WorkerReply)),
    [`${TRAINER}/gateway-request.schema.json`]: json(outputSchema(GatewayRequest)),
    [`${TRAINER}/gateway-message.schema.json`]: json(outputSchema(GatewayMessage)),
    [`${TRAINER}/prewarmed-request.schema.json`]: json(outputSchema(PrewarmedRequest)),
    [`${TRAINER}/prewarmed-reply.schema.json`]: json(outputSchema(PrewarmedReply)),
    [`${TRAINER}/tasks.schema.json`]: json(taskSchemas()),
    [`${TRAINER}/backbones.json`]: json({ generated: GENERATED, backbones: BACKBONES }),
    [`${TRAINER}/nodes.json`]: json({ generated: GENERATED, ...describeCatalog(NODES) }),
    [`${TRAINER}/case-table.json`]: json({ generated: GENERATED, origin_columns: ORIGIN_COLUMNS }),
    [`${TRAINER}/metric-catalogue.json`]: json({
      generated: GENERATED,
      metrics: METRICS,
      primary: PRIMARY_METRIC,
      compared: COMPARED_METRICS,
    }),
    [`${TRAINER}/limits.json`]: json({ generated: GENERATED, table_columns: LIMITS.table_columns }),
    [`${TRAINER}/run-directory.json`]: json({
      generated: GENERATED,
      paths: RUN_PATHS,
      reserve_bytes: RESERVE_BYTES,
      mirrored: MIRRORED_PATHS,
    }),
    [`${TRAINER}/codes.json`]: json({
      generated: GENERATED,
      errors: ERRORS,
      warnings: WARNINGS,
      system_faults: systemFaults(),
    }),
    [`${TRAINER}/phrases.json`]: json({ generated: GENERATED, phrases: PHRASES }),
    [`${TRAINER}/codes.py`]: pythonCodes(),
    'packages/client/src/methods.ts': clientMethods(),
    'packages/client/src/routes.ts': clientRoutes(),
    'docs/reference/configuration.md': configurationPage(),
    'docs/reference/routes.md': routesPage(),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/service-events.md': serviceEventsPage(),
    'docs/reference/study-events.md': studyEventsPage(),
    'docs/reference/workflow-events.md': workflowEventsPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/warnings.md': warningsPage(),
    'docs/reference/issues.md': issuesPage(),
    'docs/reference/phrases.md': phrasesPage(),
    'docs/reference/nodes.md': nodesPage(),
  }
}

function outputSchema(schema: z.ZodType): object {
  return { $comment: GENERATED, ...z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' }) }
}

/** The schemas of all tasks, with the definitions that several of them contain once. */
function taskSchemas(): object {
  const definitions: Record<string, unknown> = {}
  const withoutDefinitions = (type: z.ZodType) => {
    const {
      $schema: _,
      $defs = {},
      ...schema
    } = z.toJSONSchema(type, { io: 'output', target: 'draft-2020-12' })
    Object.assign(definitions, $defs)
    return schema
  }
  const tasks = Object.fromEntries(
    Object.entries(WORKER_TASKS).map(([task, { params, result }]) => [
      task,
      { params: withoutDefinitions(params), result: withoutDefinitions(result) },
    ]),
  )
  return { $comment: GENERATED, $defs: definitions, tasks }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Name of a system error → code. */
function systemFaults(): Record<string, string> {
  return Object.fromEntries(SYSTEM_FAULTS.flatMap(({ code, system }) => system.map((name) => [name, code])))
}

/** The package of the trainer, which refuses to start under a service of another version. */
function pythonVersion(): string {
  return `"""Trains and evaluates models that read medical images and tables together."""

# ${GENERATED}
__version__ = "${VERSION}"
`
}
