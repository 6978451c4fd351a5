import type { CatalogWords } from './keys'
import { columns, slices } from './zh-fields'

/** Nodes that read, split and preprocess data. */
export const dataNodes = {
  LoadDataset: {
    title: '读取数据集',
    summary: '读取已注册的数据集或其中一个划分：图像、表格和标签。',
    inputs: {},
    outputs: { dataset: '数据集', metadata: '列、数量与类别' },
    config: {
      dataset_id: ['数据集', '已注册数据集的 ID。'],
      split: ['划分', '要读取的行：划分列的一个值，或全部行。'],
      shuffle: ['打乱', '将行随机排序，顺序仅由随机种子决定。'],
      seed: ['随机种子', '相同的种子得到相同的行顺序。'],
      ...columns,
      ...slices,
    },
  },
  LoadImage: {
    title: '读取图像',
    summary: '读取一个图像文件，或文件夹中的全部图像文件；每个文件是一个以其命名的病例。',
    inputs: {},
    outputs: { images: '图像', paths: '文件路径' },
    config: {
      path: ['路径', '一个图像文件或图像文件夹。'],
      format: ['格式', '只读取此格式的文件；不填则读取所有图像格式。'],
      recursive: ['包括子文件夹', '也读取子文件夹中的文件。'],
      join_by: ['连接列', '与表格连接时：其值为图像名称的列，可带或不带扩展名；不填则按值查找。'],
      ...slices,
    },
  },
  LoadTabular: {
    title: '读取表格',
    summary: '从文件读取表格；每行是一个病例。',
    inputs: {},
    outputs: { dataframe: '表格', columns: '列及其用途' },
    config: {
      path: ['路径', '表格所在的文件。'],
      format: ['格式', '文件格式；不填则由文件名后缀决定。'],
      encoding: ['文本编码', 'CSV 文件的编码；auto 先看字节顺序标记，再用 UTF-8，其他拒绝。'],
      ...columns,
    },
  },
  ImagePreprocess: {
    title: '图像预处理',
    summary: '缩放图像并归一化灰度；统计量只来自训练部分。',
    inputs: { images: '图像' },
    outputs: { processed_images: '预处理后的图像' },
    config: {
      'resize.width': ['宽度（像素）', '每幅图像缩放到的宽度。'],
      'resize.height': ['高度（像素）', '每幅图像缩放到的高度。'],
      normalize: ['灰度归一化', '缩放为均值 0、标准差 1，或 0–1 范围，或 ImageNet 训练的网络所需的形式。'],
      augmentation: ['数据增强', '训练图像随机变化的强度；验证和测试图像从不变化。'],
    },
  },
  TabularPreprocess: {
    title: '表格预处理',
    summary: '填补缺失值、编码类别、缩放数值并选择列；只在训练部分上拟合。',
    inputs: { dataframe: '表格' },
    outputs: { processed_data: '预处理后的表格', scaler: '拟合的参数' },
    config: {
      missing_strategy: ['缺失值处理', '保留为单独的标记，删除该行，或填入训练部分的统计量。'],
      encoding: ['类别编码', '每个类别一列，每个类别一个数，或折外计算的标签均值。'],
      missing_indicator: ['缺失标记', '填入统计量时：为训练部分有缺失的每一列添加缺失标记。'],
      scaling: ['数值缩放', '按均值和标准差、变换为正态分位数、按范围、按中位数和四分位数，或不缩放。'],
      'feature_selection.method': ['特征选择方法', '去掉不变的列，或保留训练部分中与标签最相关的列。'],
      'feature_selection.keep': ['保留的列数', '要保留的列数。'],
    },
  },
  DataAugmentation: {
    title: '图像增强',
    summary: '随机变化训练图像，每轮重新进行；验证和测试图像保持不变。',
    inputs: { images: '图像' },
    outputs: { augmented_images: '增强后的图像' },
    config: {
      methods: ['方法', '可对图像做的变化；默认不翻转，因为医学中左右有意义。'],
      probability: ['概率', '对一幅图像应用一种方法的概率。'],
      intensity: ['强度', '方法的强度，从 0（无）到 1（合理的最大值）。'],
    },
  },
  DataSplit: {
    title: '划分数据',
    summary: '将病例分为训练、验证和测试部分；同一患者的病例总在一起。',
    inputs: { dataset: '数据集' },
    outputs: { train_dataset: '训练部分', val_dataset: '验证部分', test_dataset: '测试部分' },
    config: {
      train_ratio: ['训练比例', '供模型学习的患者比例；三个比例之和为 1。'],
      val_ratio: ['验证比例', '用于选择最佳轮次和阈值的患者比例；三个比例之和为 1。'],
      test_ratio: ['测试比例', '留作评估的患者比例；三个比例之和为 1。'],
      stratify: ['分层', '使各类别的比例在各部分中相近。'],
      seed: ['随机种子', '相同的种子得到相同的划分。'],
    },
  },
  MergeDatasets: {
    title: '合并数据集',
    summary: '将两个或多个数据集的病例合为一个；列的名称和类型须一致。',
    inputs: { dataset1: '第一个数据集', dataset2: '第二个数据集', dataset3: '更多数据集' },
    outputs: { merged_dataset: '合并后的数据集' },
    config: { merge_strategy: ['病例顺序', '一个数据集接着另一个，或轮流各取一个病例。'] },
  },
  FilterData: {
    title: '筛选数据',
    summary: '保留满足条件的病例，或模型的预测；在预处理之后则针对处理后的值。',
    inputs: { dataset: '数据集或预测' },
    outputs: { filtered_dataset: '筛选后的数据集' },
    config: {
      filter_condition: [
        '条件',
        '用 and、or、not 连接的比较；可用 in (…) 和 is missing，例如：age >= 18 and sex in ("f", "m")；对预测：correct = false。',
      ],
      filter_column: ['列', '条件中没有列名时所针对的列，例如：>= 18。'],
    },
  },
} as const satisfies Partial<CatalogWords>
