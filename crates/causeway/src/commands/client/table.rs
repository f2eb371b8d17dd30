/// Rows of text in columns as wide as their widest cell; numbers align right.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    title: &'static str,
    right: bool,
}

impl Table {
    /// A table with these titles; one that begins with `>` is a column of numbers.
    pub(crate) fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('>') {
            Some(title) => Column { title, right: true },
            None => Column { title, right: false },
        };
        Self { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let titles = self.columns.iter().map(|column| column.title.to_owned()).collect();
        let lines: Vec<&Vec<String>> = std::iter::once(&titles).chain(&self.rows).collect();
        let width = |index: usize| {
            let cells = lines.iter().filter_map(|line| line.get(index));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for line in &lines {
            let cells = line.iter().zip(&self.columns).zip(&widths).map(|((cell, column), width)| {
                if column.right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_their_widest_cell_and_numbers_align_right() {
        let mut table = Table::new(&["token", ">amount", "chain"]);
        table.row(["USDC".to_owned(), "1.5".to_owned(), "Base".to_owned()]);
        table.row(["a long one".to_owned(), "1000".to_owned(), "¥".to_owned()]);
        assert_eq!(
            table.to_string(),
            "token       amount  chain\n\
             USDC           1.5  Base\n\
             a long one    1000  ¥\n"
        );
    }
}
