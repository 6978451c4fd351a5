import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Catalog,
  CustomDeclaration,
  type CustomNodeProblem,
  check,
  customDefinition,
  fieldsOf,
  isNodeType,
  NODES,
  type NodeSource,
  phrase,
  textOf,
  typeOfFile,
} from '@medloom/contracts'
import { AppError, hintOfIssue, type Said } from '../../errors.js'
import type { TaskPool, TaskResult } from '../../ports/task-pool.js'

export interface KnownNodes {
  /** The built-in nodes, and those of the folder. */
  readonly catalog: Catalog
  readonly problems: readonly CustomNodeProblem[]
}

type Found = TaskResult<'custom_nodes'>['nodes'][number]

const BUILT_IN: KnownNodes = { catalog: NODES, problems: [] }

/**
 * The nodes of a folder, read again when one of its files has changed. The service does not execute them: a worker reads their
 * declarations, also without executing them.
 */
export class CustomNodes {
  #state = ''
  #known: Promise<KnownNodes> = Promise.resolve(BUILT_IN)

  constructor(
    readonly folder: string | null,
    private readonly pool: Pick<TaskPool, 'run'>,
  ) {}

  async known(): Promise<KnownNodes> {
    if (this.folder === null) return BUILT_IN
    const state = await stateOf(this.folder)
    if (state !== this.#state) {
      this.#state = state
      this.#known = this.#read(this.folder)
      this.#known.catch(() => {
        this.#state = ''
      })
    }
    return this.#known
  }

  async #read(folder: string): Promise<KnownNodes> {
    try {
      const { nodes } = await this.pool.run('custom_nodes', { folder })
      return knownOf(nodes)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Python does not respond: the next call tries again, and the built-in nodes work meanwhile.
      this.#state = ''
      return { ...BUILT_IN, problems: [problemOf('', '', error.text, error.remedy)] }
    }
  }
}

function knownOf(nodes: readonly Found[]): KnownNodes {
  const custom: Record<string, Catalog[string]> = {}
  const problems: CustomNodeProblem[] = []
  for (const { file, sha256, declaration, problem } of nodes) {
    if (problem) {
      problems.push({ file, path: '', ...problem })
      continue
    }
    if (!declaration || !sha256) {
      problems.push(
        problemOf(file, '', phrase('custom_undeclared'), phrase('declare_node', { example: 'NODE = {...}' })),
      )
      continue
    }
    const type = typeOfFile(file)
    if (isNodeType(type) || Object.hasOwn(custom, type)) {
      problems.push(problemOf(file, '', phrase('node_type_taken', { type }), phrase('rename_file')))
      continue
    }
    const checked = check(CustomDeclaration, declaration, 'NODE')
    if (checked.ok) custom[type] = customDefinition(checked.value, { file, sha256 } satisfies NodeSource)
    else
      for (const issue of checked.issues) {
        const message = { english: issue.message, phrases: issue.message_phrases }
        problems.push(problemOf(file, issue.path, message, hintOfIssue(issue) ?? phrase('correct_node')))
      }
  }
  return { catalog: { ...NODES, ...custom }, problems }
}

function problemOf(file: string, path: string, message: Said, remedy: Said): CustomNodeProblem {
  const texts = { ...fieldsOf('message', textOf(message)), ...fieldsOf('remedy', textOf(remedy)) }
  return { file, line: null, path, ...texts }
}

/** Names, sizes and times: the state changes when a file is written, added or removed. */
async function stateOf(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.py')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined)
      return [name, found?.size, found?.mtimeMs, found?.ino]
    }),
  )
  return JSON.stringify(files)
}
