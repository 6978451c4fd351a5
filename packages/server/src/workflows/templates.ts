import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readWorkflow, type WorkflowTemplate } from '@medloom/contracts'
import type { z } from 'zod'
import { REPOSITORY } from '../repository.js'

const FOLDER = join(REPOSITORY, 'examples/workflows')

/** The templates: every readable file of examples/workflows, by name. */
export async function readTemplates(folder = FOLDER): Promise<z.infer<typeof WorkflowTemplate>[]> {
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
          },
        ]
      }),
  )
  return templates.flat()
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
