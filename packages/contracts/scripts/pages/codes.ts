import {
  CLIENT_ERRORS,
  type CodeDeclaration,
  ERRORS,
  ISSUES,
  PHRASES,
  type PhraseText,
  WARNINGS,
} from '../../src/index.js'
import { HEAD } from '../generated.js'

/** Reference pages of the code catalog: errors, warnings, issues. */

export function errorsPage(): string {
  const lines = Object.entries(ERRORS).map(
    ([code, { http, meaning, remedy }]) => `| \`${code}\` | ${http} | ${meaning} | ${remedy} |`,
  )
  return `${HEAD}# Error codes

Every error response has \`error\`, \`code\`, \`details\` and \`request_id\`. A request with several problems also has \`issues\`, whose codes
are listed in [issues](issues.md). Failed jobs and failed nodes use the same codes.

| code | HTTP | meaning | remedy |
|---|---|---|---|
${lines.join('\n')}

## Codes of clients

The typed client and the command line set these codes when they receive no response from the service.

${table(CLIENT_ERRORS)}`
}

export function warningsPage(): string {
  return `${HEAD}# Warning codes

A warning never stops a job or a run. Warnings are listed in \`prepared.warnings\` of a job, in \`warnings\` of an evaluation or of a node
of a workflow run, in reports, and in the output of the command line. Each has a code and a message that names the location.

${table(WARNINGS)}`
}

export function issuesPage(): string {
  return `${HEAD}# Issue codes

An issue describes one problem of a request, a training configuration or a workflow with \`path\`, \`code\`, \`message\` and \`hint\`. Issues of
a workflow have a \`severity\`: an \`error\` prevents a run, a \`warning\` does not. An issue can also have an [error code](errors.md).

${table(ISSUES)}`
}

export function phrasesPage(): string {
  const texts: Readonly<Record<string, PhraseText>> = PHRASES
  const lines = Object.entries(texts).map(([code, text]) => {
    const forms = typeof text === 'string' ? [text] : [...new Set([text.one, text.other])]
    return `| \`${code}\` | ${forms.join('; ')} |`
  })
  return `${HEAD}# Phrases

Errors, issues, summaries of values, phases of tasks, methods of intervals and items of removals are English texts. The field beside each,
such as \`summary_phrases\`, lists the phrases of the text, each with its \`code\`, its \`values\` and the punctuation before it (\`mark\`),
so that a client can write it in another language. A phrase with a \`count\` has a form for 1.

| code | English |
|---|---|
${lines.join('\n')}
`
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
