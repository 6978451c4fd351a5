import { AXES, type ImageLook } from '../../images/look'

export const TABS = ['overview', 'cases', 'images', 'checks'] as const
export const GROUPINGS = ['class', 'split', 'none'] as const

/** State of a dataset's page in the address; it never contains a patient identifier. */
export interface DatasetSearch extends ImageLook {
  readonly tab?: (typeof TABS)[number] | undefined
  /** Column of the distribution, and its grouping. */
  readonly column?: string | undefined
  readonly by?: (typeof GROUPINGS)[number] | undefined
  readonly split?: string | undefined
  readonly class?: string | undefined
  /** Number of a patient. */
  readonly patient?: number | undefined
  readonly filter?: string | undefined
  readonly order_by?: string | undefined
  readonly order?: 'desc' | undefined
  readonly columns?: readonly string[] | undefined
  /** Index of the image column, from 0. */
  readonly image?: number | undefined
  /** Row of the open case. */
  readonly row?: number | undefined
  /** Task that searches for leaking pairs. */
  readonly leaks?: string | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function datasetSearch(given: Record<string, unknown>): DatasetSearch {
  const window = number(given.center) !== undefined && (number(given.width) ?? 0) > 0
  return {
    tab: TABS.find((known) => known === given.tab),
    column: text(given.column),
    by: GROUPINGS.find((known) => known === given.by),
    split: text(given.split),
    class: text(given.class),
    patient: whole(given.patient, 1),
    filter: text(given.filter),
    order_by: text(given.order_by),
    order: given.order === 'desc' ? given.order : undefined,
    columns: texts(given.columns),
    image: whole(given.image, 0),
    row: whole(given.row, 0),
    as: given.as === 'model' ? given.as : undefined,
    axis: AXES.find((known) => known === given.axis),
    slice: whole(given.slice, 0),
    view: whole(given.view, 1),
    center: window ? number(given.center) : undefined,
    width: window ? number(given.width) : undefined,
    leaks: text(given.leaks),
  }
}

/** Source of a new dataset; the inspection task contains the rest. */
export interface NewSearch {
  readonly folder?: string | undefined
  readonly task?: string | undefined
}

export function newSearch(given: Record<string, unknown>): NewSearch {
  return { folder: text(given.folder), task: text(given.task) }
}

function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
}

function texts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((item): item is string => typeof item === 'string')
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function whole(value: unknown, least: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : undefined
}
