import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import {
  FIELDS_BEYOND,
  LISTED_VALUES,
  rowsIn,
  SPECIFICATION_ROWS,
  SPECIFIED_NODES,
  SPECIFIED_PORTS_AND_FIELDS,
  specifiedNodesOf,
} from '../../testing/specification-nodes.js'
import {
  assembled,
  BACKBONES,
  COMPOSITES,
  CONVERSIONS,
  check,
  conversion,
  declaredSettings,
  describeCatalog,
  factsOf,
  findInput,
  isNodeType,
  joinedParts,
  NODES,
  NodeCatalog,
  type NodeDefinition,
  PORT_TYPES,
  TrainingConfig,
  takesKind,
} from '../index.js'

const definitions = Object.entries(NODES) as [string, NodeDefinition][]

/** Located outside the checkout in the development environment; elsewhere only the transcription is checked. */
const SPECIFICATION = new URL('../../../../../shared/specification.md', import.meta.url)

describe('the catalog', () => {
  it('has the nodes of the specification with exactly their ports and fields', () => {
    expect(SPECIFIED_NODES).toHaveLength(22)
    expect(specifiedNodesOf(describeCatalog(NODES))).toEqual(SPECIFIED_PORTS_AND_FIELDS)
  })

  it('every field beyond the specification may be left out', () => {
    for (const [type, names] of Object.entries(FIELDS_BEYOND))
      for (const name of names) {
        const schema = (NODES as Record<string, NodeDefinition>)[type]?.config.shape[name] as z.ZodType
        expect(schema.safeParse(undefined).success, `${type}.${name}`).toBe(true)
      }
  })

  it.skipIf(!existsSync(SPECIFICATION))(
    `is checked against the table as the specification has it${
      existsSync(SPECIFICATION) ? '' : ' (skipped: there is no ../shared/specification.md)'
    }`,
    () => {
      expect(SPECIFICATION_ROWS).toEqual(rowsIn(readFileSync(SPECIFICATION, 'utf8')))
    },
  )

  it.each(LISTED_VALUES)(
    '%s.%s takes the values as the specification writes them, and no other',
    (type, name, values) => {
      const schema = (NODES as Record<string, NodeDefinition>)[type]?.config.shape[name] as z.ZodType
      const severalAtOnce = schema.safeParse(values).success
      for (const value of values) {
        const given = severalAtOnce ? [value] : value
        expect(schema.safeParse(given).data).toEqual(given)
      }
      expect(schema.safeParse('something else').success).toBe(false)
      if (!severalAtOnce) return
      expect(schema.safeParse([values[0], values[0]]).success, 'each once').toBe(false)
      expect(schema.safeParse([]).success).toBe(false)
    },
  )

  it('SelectBackbone knows the friendly names of the specification', () => {
    const { fields = [] } = SPECIFIED_NODES.find(({ type }) => type === 'SelectBackbone') ?? {}
    const examples = fields.find(({ name }) => name === 'model_name')?.examples ?? []
    expect(examples).toHaveLength(4)
    for (const name of examples) {
      const [found] = BACKBONES.filter(({ aliases }) => aliases.includes(name))
      expect(NODES.SelectBackbone.config.parse({ model_name: name }).model_name).toBe(found?.name)
    }
  })

  it('offers all 29 backbones', () => {
    const { options } = factsOf(NODES.SelectBackbone.config.shape.model_name)
    expect(options).toEqual(['none', ...BACKBONES.map(({ name }) => name)])
  })

  it.each(definitions)(
    '%s has a title, one sentence for itself and for every field, and ports that differ',
    (_, node) => {
      expect(node.summary).toMatch(/^[A-Z].*\.$/)
      for (const [name, schema] of Object.entries(node.config.shape)) {
        const { title, description } = factsOf(schema)
        expect(title, name).toMatch(/^[A-Z]/)
        expect(description, name).toMatch(/^[A-Z].*\.$/)
      }
      for (const ports of [node.inputs, node.outputs])
        expect(new Set(ports.map(({ name }) => name)).size).toBe(ports.length)
      for (const { carries } of node.outputs)
        if (carries) expect(node.inputs.map(({ name }) => name)).toContain(carries)
    },
  )

  it.each(definitions)(
    '%s is complete after one pass: what was filled in is accepted again and unchanged',
    (_, node) => {
      const required = { dataset_id: 'd', path: 'p', filter_condition: 'age > 1' }
      const given = Object.fromEntries(Object.entries(required).filter(([name]) => name in node.config.shape))
      const once = node.config.parse(given)
      expect(Object.keys(once).sort()).toEqual(Object.keys(node.config.shape).sort())
      expect(node.config.parse(once)).toEqual(once)
    },
  )

  it('knows no type beyond its own keys', () => {
    expect([isNodeType('LoadImage'), isNodeType('toString'), isNodeType('__proto__')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('goes over the wire as it is declared', () => {
    const catalog = describeCatalog(NODES)
    expect(NodeCatalog.parse(catalog)).toEqual(catalog)
    expect(JSON.parse(JSON.stringify(catalog))).toEqual(catalog)
    for (const { config } of catalog.nodes)
      expect(config).toMatchObject({ type: 'object', additionalProperties: false })
  })
})

describe('training keys', () => {
  it('are keys that the training configuration has, and every value means one there', () => {
    const sections = TrainingConfig.shape as unknown as Record<string, z.ZodObject>
    for (const [type, node] of definitions)
      for (const [name, schema] of Object.entries(node.config.shape)) {
        const { training_key, training_values } = factsOf(schema)
        if (!training_key) continue
        const [section = '', key] = training_key.split('.')
        const target = (key ? sections[section]?.shape[key] : sections[section]) as z.ZodType | undefined
        expect(target, `${type}.${name}`).toBeDefined()
        for (const value of Object.values(training_values ?? {}))
          expect(target?.safeParse(value).data).toBe(value)
      }
  })

  it('keep the defaults and ranges of the training configuration', () => {
    const loop = TrainingConfig.shape.training.shape
    const node = NODES.ConfigureTraining.config
    const defaults = node.parse({})
    expect(defaults.learning_rate).toBe(loop.learning_rate.parse(undefined))
    expect(declaredSettings(NODES.ConfigureTraining, defaults)['training.optimizer']).toEqual({
      field: 'optimizer',
      value: loop.optimizer.parse(undefined),
      default: loop.optimizer.parse(undefined),
      fit_only: false,
    })
    for (const epochs of [0, 1.5, 1e9])
      expect(loop.epochs.safeParse(epochs).success || node.safeParse({ epochs }).success).toBe(false)
  })

  it('of several fields join into one value', () => {
    const config = NODES.DataAugmentation.config.parse({ intensity: 0.1 })
    expect(declaredSettings(NODES.DataAugmentation, config)).toEqual({
      'data.augmentation': {
        field: 'methods',
        value: { methods: ['rotation', 'crop', 'brightness', 'contrast'], probability: 0.5, intensity: 0.1 },
        default: TrainingConfig.shape.data.shape.augmentation.parse(undefined),
        fit_only: true,
      },
    })
  })

  it('put together make a training configuration', () => {
    const parts = [
      'ImagePreprocess',
      'DataAugmentation',
      'TabularPreprocess',
      'SelectBackbone',
      'SelectFusion',
      'SelectAggregator',
      'BuildModel',
      'ConfigureTraining',
      'TrainModel',
    ] as const
    const settings: [string, unknown][] = [['data.train_csv', 't.csv']]
    for (const type of parts)
      for (const [key, { value }] of Object.entries(
        declaredSettings(NODES[type], NODES[type].config.parse({})),
      ))
        settings.push([key, value])
    expect(check(TrainingConfig, assembled(Object.fromEntries(settings)))).toMatchObject({ ok: true })
  })

  it('outside of the sections are listed next to them', () => {
    const config = NODES.TrainModel.config.parse({ baselines: ['random_forest'] })
    const { baselines } = declaredSettings(NODES.TrainModel, config)
    expect(baselines).toMatchObject({ field: 'baselines', value: ['random_forest'], default: null })
    expect(assembled({ baselines: ['random_forest'], 'model.task': 'regression' })).toEqual({
      data: {},
      model: { task: 'regression' },
      training: {},
      baselines: ['random_forest'],
    })
  })
})

describe('conversions', () => {
  it('are in the table once for each pair', () => {
    const pairs = CONVERSIONS.map(({ from, to }) => `${from} ${to}`)
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  it.each([
    ['dataset', 'image'],
    ['dataset', 'tabular'],
    ['image', 'dataset'],
    ['tabular', 'dataset'],
    ['image', 'multimodal'],
    ['image', 'tabular'],
    ['tabular', 'image'],
    ['dataset', 'training_data'],
    ['config', 'training_data'],
  ] as const)('%s becomes %s', (from, to) => {
    expect(conversion(from, to)?.how.length).toBeGreaterThan(5)
  })

  it('each have an output and an input in the catalog that they connect', () => {
    const ports = definitions.map(([, node]) => node)
    const unreachable = CONVERSIONS.filter(
      ({ from, to }) =>
        !ports.some(({ outputs }) =>
          outputs.some(
            (output) =>
              output.type === from &&
              ports.some(({ inputs }) =>
                inputs.some((input) => input.type === to && takesKind(input, output.kind)),
              ),
          ),
        ),
    )
    expect(unreachable).toEqual([])
  })

  it('reach every type and composite that the specification lists', () => {
    const reached = new Set<string>(CONVERSIONS.map(({ to }) => to))
    expect(reached).toEqual(new Set([...PORT_TYPES, ...Object.keys(COMPOSITES)]))
  })

  it.each([
    ['model', 'dataset'],
    ['path', 'image'],
    ['metrics', 'tensor'],
    ['config', 'model'],
    ['image', 'tensor'],
    ['tabular', 'tensor'],
    ['metrics', 'config'],
    ['any', 'model'],
  ] as const)('%s never becomes %s', (from, to) => {
    expect(conversion(from, to)).toBeUndefined()
  })

  it('leave every type as it is, and let every type into a port of any', () => {
    for (const type of PORT_TYPES.filter((one) => one !== 'any'))
      expect([conversion(type, type), conversion(type, 'any')]).not.toContain(undefined)
  })

  it('join composites from exactly their parts', () => {
    expect(COMPOSITES).toEqual({ multimodal: ['image', 'tabular'], training_data: ['dataset', 'config'] })
    for (const type of ['dataset', 'multimodal', 'training_data'] as const)
      expect(joinedParts(type)).toEqual(['image', 'tabular'])
    expect([joinedParts('image'), joinedParts('model')]).toEqual([null, null])
  })
})

describe('ports that count up', () => {
  const { inputs } = NODES.MergeDatasets
  it.each([
    ['dataset1', 'dataset1'],
    ['dataset3', 'dataset3'],
    ['dataset12', 'dataset3'],
    ['dataset64', 'dataset3'],
    ['dataset65', undefined],
    ['dataset03', undefined],
    ['dataset', undefined],
    ['dataset0', undefined],
    ['data3', undefined],
  ])('%s is %s', (name, port) => {
    expect(findInput(inputs, name)?.name).toBe(port)
  })
})
