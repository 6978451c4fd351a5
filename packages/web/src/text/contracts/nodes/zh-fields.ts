import { help } from '../zh-help'
import { titles } from '../zh-titles'

type Words = readonly [title: string, help: string]

/** Fields shared by several nodes. */

/** Column settings of a data source. */
export const columns = {
  label_column: ['标签列', '要学习的列；不填则用数据集的标签列，或按列名推断。'],
  label_columns: [
    '多个标签列',
    '一起学习的多个“是或否”列，代替一个标签列；需配合“构建模型”的任务 multilabel。',
  ],
  time_column: [
    '随访时间列',
    '生存分析：病例随访时间所在的列；需配合 event_column 和“构建模型”的任务 survival。',
  ],
  event_column: ['事件列', '生存分析：标明该时间点事件是否发生的列。'],
  patient_column: ['患者列', '标明每行属于哪位患者的列；不填则用数据集的患者列，或按列名推断。'],
  ignore_columns: ['忽略的列', '除数据集已忽略的列外，还要从病例中去掉的列；后续节点不会读取。'],
  positive_class: [
    '阳性类别',
    '两个类别中灵敏度所针对的类别；不填则用数据集的阳性类别，或名称不含否定的那个。',
  ],
} as const satisfies Record<string, Words>

/** Settings for the slices of a volume. */
export const slices = {
  'slices.count': ['切片数', '每个体数据取几个切片。'],
  'slices.axis': ['切片方向', 'NIfTI 体数据的切片平面。'],
  'slices.spread': ['切片分布', '在有内容的切片间均匀取，或在整个体数据上均匀取。'],
} as const satisfies Record<string, Words>

export const leakage = (more: string): Words => [
  '允许泄漏',
  `即使同一患者、图像或病例出现在两个部分${more}也训练和评估；会写入报告。`,
]

export const target = (what: string): Words => [
  '路径',
  `${what}写到哪里，位于服务的输出文件夹之下；不填则放在工作流的产物中。`,
]

/** Fields that the training configuration also has, with the same texts. */
type ReportPath = Extract<keyof typeof help, `report.${string}`>
export const reportTexts = Object.fromEntries(
  Object.keys(help)
    .filter((path): path is ReportPath => path.startsWith('report.'))
    .map((path) => [path, [titles[path], help[path]]]),
) as unknown as Readonly<Record<ReportPath, Words>>
