import { existsSync, writeFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import type { MedloomClient } from '@medloom/client/node'
import { WORKFLOW_VERSION, type Workflow, type WorkflowRecord, writeWorkflow } from '@medloom/contracts'
import type { Command } from 'commander'
import { EXIT, UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { age, shortId, UNKNOWN } from '../../terminal/format.js'
import { print, printLine } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { importFile, linkFile } from '../../workflow-files/linked-files.js'
import { readWorkflowFile } from '../../workflow-files/workflow-file.js'
import { wholeNumber } from '../jobs/index.js'

export function addDocuments(workflow: Command): void {
  workflow
    .command('ls')
    .description('list the workflows of the service, newest first')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      const page = await connect(options).listWorkflows({ page_size: Math.min(options.limit, 1000) })
      print(options, page, ({ workflows, next_page_token }) =>
        workflows.length === 0
          ? 'There are no workflows yet. Begin with one: medloom workflow templates'
          : workflowTable(workflows) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

  workflow
    .command('templates')
    .description('list the workflows to start from')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listTemplates(), ({ templates }) =>
        formatTable(
          ['template', 'nodes', 'name', 'tags'],
          templates.map(({ template_id, name, tags, workflow: { nodes } }) => [
            template_id,
            String(nodes.length),
            name,
            tags.join(', '),
          ]),
        ),
      )
    })

  workflow
    .command('new')
    .description('write the file of a new workflow, empty or from a template')
    .argument('<file>', 'file to write; one that exists is not overwritten')
    .option('-t, --template <id>', 'template to begin with, see "medloom workflow templates"')
    .option('-n, --name <name>', 'name of the workflow (default: that of the template, or of the file)')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const begin = options.template ? await templateOf(connect(options), options.template) : emptyWorkflow()
      const name = options.name ?? (begin.metadata.name || basename(word, extname(word)))
      const made = { ...begin, metadata: { ...begin.metadata, name, created_at: new Date().toISOString() } }
      writeNew(word, writeWorkflow(made))
      print(options, { path: resolve(word), name, nodes: made.nodes.length }, () =>
        [`${word}: ${made.nodes.length} nodes`, `Run it: medloom workflow run ${word}`].join('\n'),
      )
    })

  workflow
    .command('import')
    .description('send a file to the service as a new workflow')
    .argument('<file>', 'a saved workflow; "-" reads standard input')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const answer = await importFile(connect(options), readWorkflowFile(word))
      print(options, answer, ({ workflow_id, issues }) => {
        const wrong =
          issues.length === 0
            ? ''
            : `\n${issues.length} issues: medloom workflow check ${shortId(workflow_id)}`
        return `workflow ${workflow_id}${wrong}`
      })
    })

  workflow
    .command('export')
    .description('write a workflow as a file: the same bytes for the same workflow')
    .argument('<workflow>', 'id or name')
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .option('--force', 'overwrite the file')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await findWorkflow(client, word)
      const { revision } = await client.getWorkflow({ workflow_id: workflowId })
      const text = writeWorkflow(await client.exportWorkflow({ workflow_id: workflowId }))
      if (!options.output) return void process.stdout.write(text)
      const path = resolve(options.output)
      if (options.force) writeFileSync(path, text)
      else writeNew(path, text)
      linkFile(client, { path, text }, { workflow_id: workflowId, revision })
      print(options, { workflow_id: workflowId, revision, path }, () => `wrote ${options.output}`)
    })

  workflow
    .command('rm')
    .description('delete workflows with their runs, project folders and cached results')
    .argument('<workflow...>', 'ids or names')
    .action(async (words: string[], _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words) {
        const answer = await client.deleteWorkflow({ workflow_id: await findWorkflow(client, word) })
        if (options.json) print(options, answer, String)
        else printLine(`deleted ${answer.workflow_id}`)
      }
    })
}

async function templateOf(client: MedloomClient, id: string): Promise<Workflow> {
  const { templates } = await client.listTemplates()
  const found = templates.find(({ template_id }) => template_id === id)
  if (found) return found.workflow
  throw new UsageError(
    `There is no template "${id}".`,
    `There are ${templates.map(({ template_id }) => template_id).join(', ')}.`,
    EXIT.notFound,
  )
}

function emptyWorkflow(): Workflow {
  return {
    version: WORKFLOW_VERSION,
    metadata: { name: '', description: '', author: '', tags: [] },
    nodes: [],
    connections: [],
    execution_history: [],
  }
}

/** Somebody's work must not be lost to a mistyped name. */
function writeNew(path: string, text: string): void {
  if (existsSync(path))
    throw new UsageError(`${path} is there already.`, 'Give another name, or remove it first.')
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The file cannot be written: ${reason}`,
      'Give the path of a file in a folder that exists.',
    )
  }
}

function workflowTable(workflows: readonly WorkflowRecord[]): string {
  const rows = workflows.map((record) => [
    shortId(record.workflow_id),
    record.name,
    String(record.num_nodes),
    String(record.revision),
    record.last_run?.status ?? UNKNOWN,
    age(record.updated_at),
  ])
  return formatTable(['workflow', 'name', 'nodes', 'revision', 'last run', 'changed'], rows)
}
