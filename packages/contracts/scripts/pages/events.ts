import { z } from 'zod'
import {
  JobMessage,
  NODE_TRANSITIONS,
  RUN_TRANSITIONS,
  ServiceMessage,
  STUDY_TRANSITIONS,
  StudyMessage,
  WorkflowMessage,
} from '../../src/index.js'
import { HEAD } from '../generated.js'
import { cell, resolved, type Schema } from './schema-text.js'

/** Reference pages of the WebSocket messages. */

export function eventsPage(): string {
  return `${HEAD}# Messages of a training job

On \`/ws/training/{job_id}\`. \`seq\` is dense per job. \`?since=N\` replays what follows N. Exactly one terminal message
(\`completed\` or \`error\`) ends the stream, then the server closes with 1000.

${table(JobMessage)}`
}

export function workflowEventsPage(): string {
  return `${HEAD}# Messages of a workflow

On \`/ws/workflow/{workflow_id}\`. The first message is a \`snapshot\` of the latest run; the others say what changes. \`seq\` counts up
while the service runs; a snapshot says where the count stands, so a client that reconnects needs no earlier message. Progress of
a node is sent at most ten times a second. The socket stays open when a run ends: the next run of the workflow follows on it.

${table(WorkflowMessage)}
## Run status

${transitions(RUN_TRANSITIONS)}
## Node status

${transitions(NODE_TRANSITIONS)}`
}

export function studyEventsPage(): string {
  return `${HEAD}# Messages of a study

On \`/ws/studies/{study_id}\`. The first message is a \`snapshot\`; the others say what changes. \`seq\` counts up while the service
runs; a snapshot says where the count stands. Exactly one terminal message (\`completed\` or \`error\`) ends the stream, then the
server closes with 1000; for a study that has ended it follows the snapshot at once.

${table(StudyMessage)}
## Study status

${transitions(STUDY_TRANSITIONS)}`
}

export function serviceEventsPage(): string {
  return `${HEAD}# Messages of the service

On \`/ws/service\`, for lists that stay true. The first message is a \`snapshot\` with the newest of everything; the others say what
changes, also of older items: an item as its list shows it, at most a few times a second, or that it was removed. \`seq\` is dense. Who
comes back after a short loss gives \`?stream=S&since=N\`, the \`stream\` of the snapshot and the last \`seq\`, and receives what follows;
where that is not known any more, or the service was started anew, there is a new snapshot. A client that does not keep up is closed
with 1013. \`GET /api/system/state\` gives the same state to who has no WebSocket.

${table(ServiceMessage)}`
}

function table(messages: z.ZodType): string {
  const document = z.toJSONSchema(messages) as Schema
  const lines = (resolved(document).oneOf ?? []).map((entry) => {
    const { properties = {}, required = [], description = '' } = resolved(document, entry)
    const { type, ...fields } = properties
    const names = Object.keys(fields).map(
      (field) => `\`${field}\`${required.includes(field) ? '' : ' (optional)'}`,
    )
    return `| \`${type?.const}\` | ${cell(description)} | ${names.join(', ')} |`
  })
  return `| type | meaning | fields |\n|---|---|---|\n${lines.join('\n')}\n`
}

function transitions(table: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(table).map(([from, to]) => `| ${from} | ${to.join(', ') || '– (final)'} |`)
  return `| from | to |\n|---|---|\n${lines.join('\n')}\n`
}
