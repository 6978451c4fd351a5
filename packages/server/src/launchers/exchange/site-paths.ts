import { isAbsolute, join, relative } from 'node:path'
import { PATH_KEYS, phrase, type TrainerSpec, type TrainingConfig } from '@medloom/contracts'
import { AppError, StartError } from '../../errors.js'
import { DATA_ROOT, type NamedRoot } from '../../security/named-roots.js'
import type { Roots } from '../../security/roots.js'
import type { Settings } from '../../settings.js'
import { isInside } from '../../storage/is-inside.js'

/** Name of a root, or `@data` for the data folder → path of the same folder on the machines of a cluster. */
export type SiteRoots = Readonly<Record<string, string>>

/** Maps the shared folders of this service to the paths on the machines of a cluster. */
export class SitePaths {
  readonly places: NonNullable<TrainerSpec['places']>

  constructor(named: readonly NamedRoot[], roots: SiteRoots) {
    this.places = named.flatMap(({ name, folder }) => {
      const here = roots[name]
      return here === undefined ? [] : [{ named: folder, here }]
    })
  }

  /** The path on a node; null if no folder there contains it. */
  find(path: string): string | null {
    const around = this.places.filter(({ named }) => isInside([named], path))
    const [nearest] = around.sort((a, b) => b.named.length - a.named.length)
    return nearest ? join(nearest.here, relative(nearest.named, path)) : null
  }

  /** @param what description of the path for messages. @throws AppError PATH_NOT_ON_NODES */
  toSite(path: string, what: string): string {
    const found = this.find(path)
    if (found === null) throw new AppError('PATH_NOT_ON_NODES', phrase('not_on_nodes', { path: what }))
    return found
  }

  /** @throws AppError PATH_NOT_ON_NODES for the first path of the configuration that the nodes do not have */
  refuseUncovered(config: Pick<TrainingConfig, 'data' | 'model' | 'training'>): void {
    for (const { section, key } of PATH_KEYS) {
      const value = (config[section] as Record<string, unknown>)[key]
      if (typeof value === 'string' && isAbsolute(value)) this.toSite(value, `${section}.${key}`)
    }
  }
}

type SiteSettings = Pick<Settings, 'siteRoots' | 'exchange' | 'nodesOn'> & { readonly launcher?: string }

/**
 * Site paths of trainings; undefined if they run on this machine, or do not use its folders.
 * @throws StartError like `sitePathsOf`
 */
export function siteOfTrainings(settings: SiteSettings, named: readonly NamedRoot[]): SitePaths | undefined {
  const site = sitePathsOf(settings, named)
  return trainHere(settings) || settings.exchange === 'http' ? undefined : site
}

/**
 * Site paths of workflow nodes; undefined if they are computed on this machine.
 * @throws StartError like `sitePathsOf`, and without the data folder: every node reads and writes there
 */
export function siteOfNodes(settings: SiteSettings, named: readonly NamedRoot[]): SitePaths | undefined {
  const site = settings.nodesOn ? sitePathsOf(settings, named) : undefined
  const data = named.find(({ name }) => name === DATA_ROOT)
  if (site && data && site.find(data.folder) === null)
    throw new StartError(
      'workflow nodes use the data folder, but no --site-root sets its path on the cluster',
      'Add --site-root data=folder.',
    )
  return site
}

/**
 * The paths of `--site-root`; undefined without it. `data` is the data folder, unless a root has that name.
 * @throws StartError for a name that no root has, or if everything runs on this machine
 */
function sitePathsOf(settings: SiteSettings, named: readonly NamedRoot[]): SitePaths | undefined {
  const { siteRoots, nodesOn } = settings
  if (!siteRoots) return undefined
  if (trainHere(settings) && !nodesOn)
    throw new StartError(
      '--site-root is for a cluster',
      'Remove --site-root, or set --launcher or --nodes-on to a cluster.',
    )
  const names = new Set(named.map(({ name }) => name))
  const roots = Object.entries(siteRoots).map(([name, folder]) => {
    const own = name === 'data' && !names.has(name) ? DATA_ROOT : name
    if (!names.has(own))
      throw new StartError(
        `--site-root contains "${name}", which is not the name of a root`,
        `Known: data, ${named.map(({ name }) => name).join(', ')}.`,
      )
    return [own, folder] as const
  })
  return new SitePaths(named, Object.fromEntries(roots))
}

function trainHere({ launcher }: SiteSettings): boolean {
  return (launcher ?? 'local') === 'local'
}

/** Roots in which a request may only name files that the nodes also have. */
export function rootsOnNodes(roots: Roots, site: SitePaths | undefined): Roots {
  if (!site) return roots
  const onNodes = (path: string, place: string) => {
    site.toSite(path, place)
    return path
  }
  return {
    ...roots,
    resolve: async (requested, place, kind) => onNodes(await roots.resolve(requested, place, kind), place),
    resolveTable: async (requested, place, kind) =>
      onNodes(await roots.resolveTable(requested, place, kind), place),
    async openCheckpoint(requested, place) {
      const opened = await roots.openCheckpoint(requested, place)
      onNodes(opened.path, place)
      return opened
    },
  }
}
