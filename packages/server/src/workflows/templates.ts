import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { atPlace, phrase, readWorkflow, type WorkflowTemplate } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { REPOSITORY } from '../repository.js'
import type { CheckContext } from './check-workflow.js'
import { fitOf } from './template-fit.js'

const FOLDER = join(REPOSITORY, 'examples/workflows')

/** The templates: every readable file of examples/workflows, by name. */
export async function readTemplates(folder = FOLDER): Promise<WorkflowTemplate[]> {
  const names = await readdir(folder).catch(() => [])
  const templates = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map(async (name) => {
        const read = readWorkflow(await readJson(join(folder, name)))
        if (!read.ok) return []
        const { metadata } = read.value
        return [
          {
            template_id: basename(name, '.json'),
            name: metadata.name,
            description: metadata.description,
            tags: metadata.tags,
            workflow: read.value,
            fit: null,
          },
        ]
      }),
  )
  return templates.flat()
}

/** Checks if a registered dataset fits each of them. @throws AppError DATASET_NOT_FOUND */
export async function templatesFor(
  datasetId: string | undefined,
  checkContext: CheckContext,
): Promise<WorkflowTemplate[]> {
  const templates = await readTemplates()
  if (datasetId === undefined) return templates
  const { record } = await checkContext.datasets.find(datasetId, 'dataset_id')
  if (!record) throw new AppError('DATASET_NOT_FOUND', atPlace('dataset_id', phrase('dataset_unknown')))
  return Promise.all(
    templates.map(async (template) => ({
      ...template,
      fit: await fitOf(template.workflow, record, checkContext),
    })),
  )
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
