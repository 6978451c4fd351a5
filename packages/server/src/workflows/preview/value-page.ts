import {
  type Blob,
  type NodeContent,
  type PlacedFile,
  type ShownFile,
  type ShownValue,
  VALUE_LIMITS,
  withoutSmallSubgroups,
} from '@medloom/contracts'

export interface ValuePage {
  readonly value: ShownValue
  /** Number of items of a paged value. */
  readonly total: number
}

interface Page {
  readonly offset: number
  readonly size: number
}

/** The shown form of a value. `read` returns the JSON document of a blob, or null if it exceeds the size limit. */
export async function valuePage(
  content: NodeContent,
  page: Page,
  read: (blob: Blob) => Promise<Record<string, unknown> | null>,
): Promise<ValuePage> {
  const { offset, size } = page
  switch (content.content) {
    case 'config': {
      const { settings, facts } = content
      const bounded = cutDown({ settings, facts }) as { settings: typeof settings; facts: typeof facts }
      return whole({ content: 'config', ...bounded, cut: differs(bounded, { settings, facts }) })
    }
    case 'evaluation': {
      const document = withoutSmallSubgroups(await read(content.document))
      const bounded = document === null ? null : (cutDown(document) as Record<string, unknown>)
      return whole({
        content: 'evaluation',
        metrics: content.metrics,
        document: bounded,
        files: filesOf(content).map(shownFile),
        cut: document !== null && differs(bounded, document),
      })
    }
    case 'history': {
      const document = await read(content.document)
      const epochs = document && ((document.epochs ?? []) as { epoch: number; metrics: Metrics }[])
      const shown = epochs?.slice(offset, offset + size).map(({ epoch, metrics }) => ({ epoch, metrics }))
      const total = epochs?.length ?? 0
      return {
        value: { content: 'history', metrics: content.metrics, epochs: shown ?? null, num_epochs: total },
        total,
      }
    }
    case 'files': {
      const { kind, files, not_made = [] } = content
      const shown = files.slice(offset, offset + size).map(shownFile)
      const value: ShownValue = {
        content: 'files',
        kind,
        files: shown,
        num_files: files.length,
        not_made: not_made.slice(0, VALUE_LIMITS.items),
      }
      return { value, total: files.length }
    }
    case 'cases': {
      const isMasked = content.masked_columns?.includes(content.label_column ?? '') ?? false
      return whole(isMasked ? { ...content, classes: null } : content)
    }
    default:
      return whole(content)
  }
}

/** All files that a value names. */
export function filesOf(content: NodeContent): readonly PlacedFile[] {
  return 'files' in content ? (content.files ?? []) : []
}

const shownFile = ({ title, path, blob }: PlacedFile): ShownFile => ({
  ...{ title, path },
  size_bytes: blob.size_bytes,
})

type Metrics = Record<string, number | null>

/** A value without pages. The declaration of the response removes members that are not shown. */
function whole(value: ShownValue): ValuePage {
  return { value, total: 0 }
}

function cutDown(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, VALUE_LIMITS.characters)
  if (Array.isArray(value)) return value.slice(0, VALUE_LIMITS.items).map(cutDown)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).slice(0, VALUE_LIMITS.items)
  return Object.fromEntries(members.map(([name, inner]) => [name, cutDown(inner)]))
}

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other)
}
