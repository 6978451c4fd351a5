import { CLIENT_ERRORS, type CodeDeclaration, ERRORS, ISSUES, WARNINGS } from '../../src/index.js'
import { HEAD } from '../generated.js'

/** Reference pages of the code catalog: errors, warnings, issues. */

export function errorsPage(): string {
  const lines = Object.entries(ERRORS).map(
    ([code, { http, meaning, remedy }]) => `| \`${code}\` | ${http} | ${meaning} | ${remedy} |`,
  )
  return `${HEAD}# Error codes

Every error response has \`error\`, \`code\`, \`details\`, \`request_id\` and, where a request has several problems, \`issues\`, whose codes are
listed in [issues](issues.md). A failed job and a failed node carry the same codes.

| code | HTTP | meaning | remedy |
|---|---|---|---|
${lines.join('\n')}

## Codes of clients

The typed client and the command line give these themselves, because no response of the service arrived.

${table(CLIENT_ERRORS)}`
}

export function warningsPage(): string {
  return `${HEAD}# Warning codes

A warning never ends a job or a run. Warnings stand in \`prepared.warnings\` of a job, \`warnings\` of an evaluation and of a node of a
workflow run, in reports and in the output of the command line, each with its code and a message that names the place.

${table(WARNINGS)}`
}

export function issuesPage(): string {
  return `${HEAD}# Issue codes

An issue names one problem of a request, a training configuration or a workflow: its \`path\`, \`code\`, \`message\` and \`hint\`. The issues
of a workflow have a \`severity\`: an \`error\` keeps the workflow from running, a \`warning\` does not. An issue may also carry an
[error code](errors.md).

${table(ISSUES)}`
}

function table(codes: Readonly<Record<string, CodeDeclaration>>): string {
  const lines = Object.entries(codes).map(
    ([code, { meaning, remedy }]) => `| \`${code}\` | ${meaning} | ${remedy} |`,
  )
  return `| code | meaning | remedy |
|---|---|---|
${lines.join('\n')}
`
}
