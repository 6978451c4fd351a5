/** @module-tag service */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { customNodeTemplate, type NodeCatalog, type WorkflowCheck } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testPython } from '../../../testing/python.js'
import { testSettings } from '../../../testing/service.js'
import { draw, startWorkflowService, statusesOf } from '../../../testing/workflows.js'
import { startService } from '../../service.js'

const python = testPython()

describe.skipIf(!python)('custom nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-custom-'))
  const place = { root: join(folder, 'data'), dataDir: join(folder, 'service') }
  const nodes = join(folder, 'nodes')
  let service: Awaited<ReturnType<typeof startWorkflowService>>

  beforeAll(async () => {
    for (const made of [place.root, nodes]) mkdirSync(made)
    writeFileSync(join(place.root, 'cases.csv'), 'id,age,label\na,40,x\nb,60,y\nc,70,x\nd,20,y\n')
    writeFileSync(join(nodes, 'older_cases.py'), customNodeTemplate('older_cases.py'))
    service = await startWorkflowService(place, { nodes, ...(python ? { python } : {}) })
  }, 60_000)
  afterAll(async () => {
    await service?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const workflow = ({ type = 'OlderCases', path = 'cases.csv', at_least = 50 } = {}) =>
    draw(
      {
        load: ['LoadTabular', { path }],
        older: [type, { at_least }],
        some: ['FilterData', { filter_condition: 'age > 65' }],
      },
      ['load.dataframe > older.dataset', 'older.dataset > some.dataset'],
    )
  const catalog = async () => (await service.send<NodeCatalog>('GET', '/api/nodes')).body

  it('are in the catalog with the built-in ones, and are checked like those', async () => {
    const { nodes: all, custom } = await catalog()
    expect(custom).toEqual({ folder: nodes, problems: [] })
    const record = all.find(({ type }) => type === 'OlderCases')
    expect(record).toMatchObject({
      title: 'Older cases',
      source: { file: 'older_cases.py' },
      outputs: [{ name: 'dataset', type: 'dataset', carries: 'dataset' }],
    })
    expect(record?.config).toMatchObject({ properties: { at_least: { default: 0, minimum: 0 } } })
    const { body } = await service.send<WorkflowCheck>('POST', '/api/workflow/check', {
      workflow: workflow({ at_least: -1 }),
    })
    expect(body.issues.map(({ node, field }) => [node, field])).toEqual([['older', 'at_least']])
  })

  it('are computed, cached, and computed again when their file has changed', async () => {
    // No other test computes these nodes.
    writeFileSync(join(place.root, 'own.csv'), 'id,age,label\ne,30,x\nf,60,y\ng,80,x\n')
    const source = customNodeTemplate('changing.py')
    writeFileSync(join(nodes, 'changing.py'), source)
    const id = await service.create(workflow({ type: 'Changing', path: 'own.csv' }))
    const first = await service.run(id)
    expect(statusesOf(first)).toEqual({ load: 'success', older: 'success', some: 'success' })
    expect(first.nodes.older?.outputs.dataset?.summary).toMatch(/^2 cases/)
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', older: 'cached', some: 'cached' })
    writeFileSync(join(nodes, 'changing.py'), source.replace('>= task', '> task'))
    expect(await service.plan(id)).toEqual({
      load: 'cached',
      older: 'implementation_changed',
      some: 'upstream_runs',
    })
    // It returns the same cases: the nodes below stay cached.
    expect(statusesOf(await service.run(id))).toEqual({ load: 'cached', older: 'success', some: 'cached' })
  }, 60_000)

  it('that fail show their trace; that hang are ended by a cancellation', async () => {
    const source = customNodeTemplate('older_cases.py')
    const failing = source.replace(
      '    cases = read',
      '    raise ValueError("no such luck")\n    cases = read',
    )
    writeFileSync(join(nodes, 'failing.py'), failing)
    const hanging = source.replace(
      '    cases = read',
      '    import time\n    time.sleep(600)\n    cases = read',
    )
    writeFileSync(join(nodes, 'hanging.py'), hanging)
    const { nodes: failed } = await service.run(await service.create(workflow({ type: 'Failing' })))
    expect(failed.older).toMatchObject({
      status: 'error',
      error: {
        type: 'NODE_FAILED',
        message: expect.stringContaining('failing.py failed (ValueError)'),
      },
    })
    expect(JSON.stringify(failed.older)).not.toContain('no such luck')
    expect(failed.older?.error?.trace).toMatch(/failing\.py:\d+ in run/)
    expect(readFileSync(join(place.dataDir, 'logs', 'nodes', 'worker.log'), 'utf8')).toContain('failing.py')
    expect(failed.some).toMatchObject({ status: 'skipped', reason: 'it depends on "older", which failed' })

    const id = await service.create(workflow({ type: 'Hanging' }))
    await service.execute(id)
    await service.until(id, (state) => state.nodes.older?.status === 'running')
    expect((await service.cancel(id)).body.status).toBe('cancelled')
  }, 60_000)

  it('that are invalid are reported with location and remedy, and do not affect the others', async () => {
    const id = await service.create(workflow())
    await service.run(id)
    const invalid = {
      'syntax.py': 'NODE = {\n',
      'load_dataset.py': customNodeTemplate('load_dataset.py'),
      'misspelt.py': customNodeTemplate('misspelt.py').replace('"outputs"', '"ouputs"'),
    }
    // The catalog of the other tests has no problems.
    onTestFinished(() => {
      for (const file of Object.keys(invalid)) rmSync(join(nodes, file))
    })
    for (const [file, source] of Object.entries(invalid)) writeFileSync(join(nodes, file), source)
    const { custom, nodes: all } = await catalog()
    const problems = Object.fromEntries(
      (custom?.problems ?? []).map((one) => [`${one.file} ${one.path}`, one]),
    )
    expect(problems['syntax.py ']).toMatchObject({
      line: 1,
      message: expect.stringContaining('not valid Python'),
    })
    expect(problems['load_dataset.py ']?.message).toContain('the node type LoadDataset already exists')
    expect(problems['load_dataset.py ']?.message_phrases).toEqual([
      { code: 'node_type_taken', values: { type: 'LoadDataset' } },
    ])
    expect(problems['misspelt.py NODE.ouputs']).toMatchObject({ remedy: expect.stringContaining('outputs') })
    expect(Object.values(problems).every(({ remedy }) => remedy.length > 5)).toBe(true)
    expect(all.map(({ type }) => type)).toContain('OlderCases')
    expect(statusesOf(await service.run(id))).toMatchObject({ some: 'cached' })
  }, 60_000)

  it('are off by default, and their folder is outside of the folders that clients may write to', async () => {
    const plain = await startService({ ...testSettings(), dataDir: join(folder, 'plain') })
    const { nodes: all, custom } = (await plain.app.inject({ url: '/api/nodes' })).json() as NodeCatalog
    expect([custom, all.some(({ source }) => source)]).toEqual([null, false])
    await plain.close()
    const inside = join(folder, 'plain', 'nodes')
    mkdirSync(inside)
    for (const wrong of [inside, folder, join(folder, 'none')])
      await expect(
        startService({ ...testSettings(), dataDir: join(folder, 'plain'), nodes: wrong }),
      ).rejects.toThrow('--nodes')
    const outputRoot = join(folder, 'written')
    mkdirSync(join(outputRoot, 'nodes'), { recursive: true })
    await expect(
      startService({
        ...testSettings(),
        ...{ dataDir: join(folder, 'plain'), outputRoot, nodes: join(outputRoot, 'nodes') },
      }),
    ).rejects.toThrow('the output folder must not overlap')
  })
})
