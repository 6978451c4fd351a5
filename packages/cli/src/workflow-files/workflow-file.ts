import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type ErrorIssue, readWorkflow, type Workflow } from '@medloom/contracts'
import { LineCounter, parseDocument } from 'yaml'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder, terminal } from '../terminal/terminal.js'

/** A saved workflow in a file, in the format that the service exports. */
export interface WorkflowFile {
  /** Absolute path; "-" is standard input. */
  readonly path: string
  readonly text: string
  /** The content of the file, including unknown fields. */
  readonly document: Record<string, unknown>
  readonly placeOf: (issue: Pick<ErrorIssue, 'path'>) => string | null
}

/** Returns true if a word on the command line names a file, not the id or name of a workflow. */
export function meansFile(word: string): boolean {
  return (
    word === '-' || extname(word) === '.json' || /[\\/]/.test(word) || existsSync(fromCurrentFolder(word))
  )
}

export function readWorkflowFile(word: string): WorkflowFile {
  const text = readText(word)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `${word} is not valid JSON: ${reason}`,
      'Correct the JSON at the position in the message.',
    )
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document))
    throw new UsageError(
      `${word} does not contain a workflow.`,
      'A workflow has version, nodes and connections.',
    )
  return {
    path: word === '-' ? word : fromCurrentFolder(word),
    text,
    document: document as Record<string, unknown>,
    placeOf: lazyPlaces(word, text),
  }
}

/** The workflow of a file. @throws UsageError that lists every problem of its structure. */
export function workflowOf(file: WorkflowFile): Workflow {
  const checked = readWorkflow(file.document)
  if (checked.ok) return checked.value
  throw new UsageError(
    `${file.path} is not a valid workflow.`,
    'Correct the listed problems.',
    undefined,
    checked.issues,
  )
}

function readText(word: string): string {
  try {
    return readFileSync(word === '-' ? (terminal().stdin.fd ?? 0) : fromCurrentFolder(word), 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The workflow cannot be read: ${reason}`,
      'Use the path of a saved workflow, or the id of a workflow on the service.',
    )
  }
}

/** "file:line" of an issue. The file is parsed for line numbers only on demand. */
function lazyPlaces(word: string, text: string): WorkflowFile['placeOf'] {
  let places: ((path: string) => string | null) | undefined
  return ({ path }) => {
    places ??= placesIn(word, text)
    return places(path)
  }
}

/** Issues name nodes and connections by id (nodes.train.config.epochs), or by number. */
function placesIn(word: string, text: string): (path: string) => string | null {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const numbers = new Map<string, number>()
  const content: Record<string, unknown> = document.toJS()
  for (const part of ['nodes', 'connections']) {
    const items = content[part]
    if (!Array.isArray(items)) continue
    for (const [index, item] of items.entries()) numbers.set(`${part}.${item?.id}`, index)
  }
  return (path) => {
    const [part = '', ...rest] = path.split('.')
    // An id may itself contain dots; the longest known one wins.
    for (let end = rest.length; end > 0; end--) {
      const number = numbers.get(`${part}.${rest.slice(0, end).join('.')}`)
      if (number !== undefined) return lineOf([part, number, ...rest.slice(end)])
    }
    return lineOf([part, ...rest.map((key) => (/^\d+$/.test(key) ? Number(key) : key))])
  }

  /** The line of the longest prefix of a path that the file contains. */
  function lineOf(path: (string | number)[]): string | null {
    for (let end = path.length; end > 0; end--) {
      const found = document.getIn(path.slice(0, end), true) as { range?: [number, ...unknown[]] } | undefined
      if (found?.range) return `${word}:${lines.linePos(found.range[0]).line}`
    }
    return null
  }
}
