import { fileName, type ListedRun } from './columns'
import type { Group } from './search'

/** Shared value of the trainings in a group. */
const VALUE: Record<Group, (run: ListedRun) => string> = {
  data: ({ settings }) => fileName(settings.train_csv),
  backbone: ({ settings }) => settings.vision_backbone,
  fusion: ({ settings }) => settings.fusion_type,
  task: ({ settings }) => settings.task ?? '—',
  status: ({ status }) => status,
}

/** Trainings grouped by a shared value, in the order of the first member of each group. */
export function groupsOf(runs: readonly ListedRun[], group: Group): { name: string; rows: ListedRun[] }[] {
  const groups = new Map<string, ListedRun[]>()
  for (const run of runs) {
    const name = VALUE[group](run)
    groups.set(name, [...(groups.get(name) ?? []), run])
  }
  return [...groups].map(([name, rows]) => ({ name, rows }))
}
