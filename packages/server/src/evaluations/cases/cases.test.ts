import type { CaseQuery, ComparedCaseQuery, FailureImages } from '@medloom/contracts'
import { describe, expect, test } from 'vitest'
import { readCaseTable, type TableSource } from './case-table.js'
import { csvRows } from './csv-rows.js'
import { findCases } from './find-cases.js'
import { findComparedCases } from './find-compared-cases.js'

const SOURCE: TableSource = {
  task: 'classification',
  classes: ['benign', 'malignant'],
  positive_class: 'malignant',
  failures: [{ file: '/a/test.csv', row: 5, truth: 'malignant', predicted: 'benign', confidence: 0.9 }],
  predictions: 'predictions.csv',
}
const IMAGES: FailureImages = {
  schema_version: 1,
  num_views: 2,
  cases: [[{ view: 2, png: '', saliency: '' }]],
}
const BINARY = `file,row,split,patient,truth,predicted,correct,probability_benign,probability_malignant,mutual_information,loss,missing_views,group_sex
/a/test.csv,2,test,p1,benign,benign,true,0.8,0.2,0.01,0.22,,f
/a/test.csv,3,test,p1,benign,malignant,false,0.4,0.6,0.3,0.92,1 2,m
/a/test.csv,4,test,p2,malignant,malignant,true,0.3,0.7,0.02,0.36,2,f
/a/test.csv,5,test,p3,malignant,benign,false,0.9,0.1,0.05,2.3,,unknown
`
const ALL: CaseQuery = { order_by: 'row', order: 'asc', identifiers: 'false' }

function find(query: Partial<CaseQuery>, csv = BINARY, source: Partial<TableSource> = {}) {
  const table = readCaseTable(csv, { ...SOURCE, ...source }, IMAGES)
  return findCases(table, { ...ALL, ...query }, 0, 50)
}
const rows = (...given: Parameters<typeof find>) => find(...given).cases.map(({ row }) => row)

describe('cases of two classes', () => {
  test.each<[string, Partial<CaseQuery>, number[]]>([
    ['all', {}, [2, 3, 4, 5]],
    ['a cell of the confusion matrix', { truth: 'malignant', predicted: 'benign' }, [5]],
    ['wrong ones', { correct: 'false' }, [3, 5]],
    ['a subgroup', { subgroup: 'sex=f' }, [2, 4]],
    ['an unknown subgroup', { subgroup: 'site=f' }, []],
    ['an unknown class', { truth: 'other' }, []],
    ['a split', { split: 'test' }, [2, 3, 4, 5]],
    ['another split', { split: 'val' }, []],
    ['without a view', { missing_view: '1' }, [3]],
    ['without any view', { missing_view: 'any' }, [3, 4]],
    ['confidence', { confidence_min: 0.7, confidence_max: 0.8 }, [2, 4]],
    ['probability of the positive class', { probability_min: 0.6 }, [3, 4]],
    ['probability of a class', { class: 'benign', probability_min: 0.8 }, [2, 5]],
    ['the most confident first', { order_by: 'confidence', order: 'desc' }, [5, 2, 4, 3]],
    ['the largest loss first', { order_by: 'loss', order: 'desc' }, [5, 3, 4, 2]],
    ['the least disagreement first', { order_by: 'disagreement' }, [2, 4, 5, 3]],
    ['wrong at another threshold', { threshold: 0.65, correct: 'false' }, [5]],
    ['found at another threshold', { threshold: 0.1, predicted: 'malignant' }, [2, 3, 4, 5]],
  ])('%s', (_, query, expected) => expect(rows(query)).toEqual(expected))

  test('a case contains all of its fields, but its patient only on request', () => {
    const case5 = {
      row: 5,
      file: '/a/test.csv',
      split: 'test',
      truth: 'malignant',
      predicted: 'benign',
      correct: false,
      probabilities: { benign: 0.9, malignant: 0.1 },
      confidence: 0.9,
      risk: null,
      loss: 2.3,
      disagreement: 0.05,
      missing_views: [],
      groups: { sex: 'unknown' },
      patient: null,
      failure: 0,
      images: [{ view: 2, saliency: true }],
    }
    expect(find({ truth: 'malignant', correct: 'false' }).cases).toEqual([case5])
    expect(find({ identifiers: 'true' }).cases[3]?.patient).toBe('p3')
  })

  test('the ids of a table do not change its cases and are not among them', () => {
    const ids = ['image_id,input_group_id', 's1,s2', 's1,s2', 's1,s2', 's1,s2']
    const lines = BINARY.trimEnd().split('\n')
    const csv = lines.map((line, index) => {
      const cells = line.split(',')
      return [...cells.slice(0, 4), ids[index], ...cells.slice(4)].join(',')
    })
    expect(find({ identifiers: 'true' }, csv.join('\n'))).toEqual(find({ identifiers: 'true' }))
  })

  test('a threshold changes the decisions', () => {
    const [, second] = find({ threshold: 0.65 }).cases
    expect(second).toMatchObject({ row: 3, predicted: 'benign', correct: true, confidence: 0.4 })
  })

  test('a page contains the requested range, and the total number', () => {
    const table = readCaseTable(BINARY, SOURCE, null)
    const { cases, total } = findCases(table, { ...ALL, correct: 'false' }, 1, 1)
    expect([cases.map(({ row }) => row), total]).toEqual([[5], 2])
  })

  test('a table of an older version has no loss, views or groups; its cases keep their order', () => {
    const older = BINARY.split('\n')
      .map((line) => line.split(',').slice(0, 9).join(','))
      .join('\n')
    expect(rows({ order_by: 'loss', order: 'desc' }, older)).toEqual([2, 3, 4, 5])
    expect(find({}, older).cases[0]).toMatchObject({ loss: null, missing_views: null, groups: {} })
  })
})

test('the table of version 0.1.0 has no file and no split: those of its evaluation are used', () => {
  const csv = 'row,truth,predicted,probability_benign,probability_malignant\n2,benign,malignant,0.4,0.6\n'
  const { cases } = find({ split: 'test' }, csv, { split: 'test', source: { csv: '/a/test.csv' } as never })
  expect(cases).toMatchObject([{ row: 2, file: '/a/test.csv', split: 'test' }])
  expect(() => find({}, csv)).toThrow('the first columns of the prediction table are missing')
})

test('several labels are found individually, and correct only if all known ones are', () => {
  const csv = `file,row,split,patient,truth_a,predicted_a,probability_a,truth_b,predicted_b,probability_b,loss
t,2,test,,1,1,0.9,0,1,0.6,0.5
t,3,test,,,1,0.8,1,1,0.7,0.2
t,4,test,,,0,0.1,,0,0.1,
`
  const source: Partial<TableSource> = { task: 'multilabel', classes: ['a', 'b'], positive_class: null }
  expect(find({}, csv, source).cases.map((row) => [row.truth, row.predicted, row.correct])).toEqual([
    ['a', 'a; b', false],
    ['b', 'a; b', true],
    ['', '', null],
  ])
  expect(rows({ truth: 'a' }, csv, source)).toEqual([2])
  expect(rows({ predicted: 'b' }, csv, source)).toEqual([2, 3])
  // A case without the value is last in both orders.
  expect(rows({ order_by: 'loss' }, csv, source)).toEqual([3, 2, 4])
  expect(rows({ order_by: 'loss', order: 'desc' }, csv, source)).toEqual([2, 3, 4])
})

test('numbers have a distance instead of being correct', () => {
  const csv = 'file,row,split,patient,truth,predicted,loss\nt,2,test,,1.5,2,0.25\nt,3,test,,4,1,9\n'
  const source: Partial<TableSource> = { task: 'regression', classes: null, positive_class: null }
  expect(find({ order_by: 'loss', order: 'desc' }, csv, source).cases[0]).toMatchObject({
    ...{ row: 3, truth: '4', predicted: '1', correct: null, confidence: null, loss: 9 },
  })
  expect(rows({ correct: 'false' }, csv, source)).toEqual([])
})

test('survival cases contain time and event, and are ordered by risk', () => {
  const csv =
    'file,row,split,patient,truth_time,truth_event,risk,survival_1\nt,2,test,,5,1,0.2,0.8\nt,3,test,,7.5,0,0.9,0.1\n'
  const source: Partial<TableSource> = { task: 'survival', classes: null, positive_class: null }
  expect(find({ order_by: 'risk', order: 'desc' }, csv, source).cases).toMatchObject([
    { row: 3, truth: 'no event until 7.5', predicted: null, risk: 0.9 },
    { row: 2, truth: 'event at 5' },
  ])
  expect(rows({ truth: 'event' }, csv, source)).toEqual([2])
})

test('quoted cells can contain commas, quotes and line breaks', () => {
  const text = 'a,"b,1",c\n"x ""y""",,"two\nlines"\n1,2,3'
  expect([...csvRows(text)]).toEqual([
    ['a', 'b,1', 'c'],
    ['x "y"', '', 'two\nlines'],
    ['1', '2', '3'],
  ])
})

test('the apostrophe that prevents a formula is removed from the text', () => {
  const text = `'=label,"'-a,b",''=quoted,it's,'plain,-0.5`
  expect([...csvRows(text)]).toEqual([['=label', '-a,b', "'=quoted", "it's", "'plain", '-0.5']])
})

describe('cases of two models', () => {
  const COMPARED = `file,row,split,patient,truth,m_001: predicted,m_001: probability_benign,m_001: probability_malignant,m_001: loss,m_001: group_sex,m_002: predicted,m_002: probability_benign,m_002: probability_malignant,m_002: loss
/a.csv,2,test,p1,benign,benign,0.8,0.2,0.2,f,benign,0.6,0.4,0.5
/a.csv,3,test,p1,benign,malignant,0.4,0.6,0.9,m,benign,0.9,0.1,0.1
/a.csv,4,test,p2,malignant,malignant,0.1,0.9,0.1,f,benign,0.7,0.3,1.2
`
  const [first, second] = ['m_001', 'm_002'].map((name) => readCaseTable(COMPARED, SOURCE, null, name))
  const compared = (query: Partial<ComparedCaseQuery>) => {
    if (!first || !second) throw new Error('no tables')
    return findComparedCases(first, second, { ...ALL, order_by: 'row', ...query }, 0, 50).cases
  }

  test.each<[string, Partial<ComparedCaseQuery>, number[]]>([
    ['all', {}, [2, 3, 4]],
    ['both right', { agreement: 'both_right' }, [2]],
    ['only the first', { agreement: 'only_first' }, [4]],
    ['only the second', { agreement: 'only_second' }, [3]],
    ['neither', { agreement: 'both_wrong' }, []],
    ['a class', { truth: 'benign' }, [2, 3]],
    ['the first worst at first', { order_by: 'difference', order: 'desc' }, [3, 2, 4]],
  ])('%s', (_, query, expected) => expect(compared(query).map(({ row }) => row)).toEqual(expected))

  test('a case contains the result of each model, but its patient only on request', () => {
    expect(compared({ agreement: 'only_first' })).toEqual([
      {
        row: 4,
        file: '/a.csv',
        split: 'test',
        truth: 'malignant',
        groups: { sex: 'f' },
        patient: null,
        first: {
          predicted: 'malignant',
          correct: true,
          probabilities: { benign: 0.1, malignant: 0.9 },
          confidence: 0.9,
          risk: null,
          loss: 0.1,
        },
        second: {
          predicted: 'benign',
          correct: false,
          probabilities: { benign: 0.7, malignant: 0.3 },
          confidence: 0.7,
          risk: null,
          loss: 1.2,
        },
      },
    ])
    expect(compared({ identifiers: 'true' })[2]?.patient).toBe('p2')
  })
})
