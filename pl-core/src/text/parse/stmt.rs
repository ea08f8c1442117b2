//! Statements.

use super::*;
use crate::op::{OpCode, TypeArg};

impl<'t> Parser<'t> {
    /// A block. What is wrong in a statement is reported, and the block goes on with the next line.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.peek();
        self.expect("{", "before a block")?;
        self.block_after(open)
    }

    /// The rest of a block whose brace was read.
    fn block_after(&mut self, open: Token<'t>) -> Parsed<Block> {
        self.blocks += 1;
        if self.enter().and_then(|()| self.check_depth(0)).is_err() {
            self.blocks -= 1;
            self.leave();
            self.skip_block();
            return Err(Reported);
        }
        let mut block = vec![];
        loop {
            if self.eat("}") {
                self.blocks -= 1;
                self.leave();
                return Ok(block);
            }
            if self.peek().tok == Tok::End {
                if std::mem::replace(&mut self.unclosed, true) {
                    return Err(Reported);
                }
                return Err(self.error(
                    open,
                    "the brace is not closed",
                    "add `}` after the last statement of the block",
                ));
            }
            let (start, blocks, depth) = (self.next, self.blocks, self.depth);
            match self.statement().and_then(|stmt| self.end_of_line().map(|()| stmt)) {
                Ok(stmt) => block.push(stmt),
                Err(Reported) => {
                    (self.blocks, self.depth) = (blocks, depth);
                    self.recover(start);
                }
            }
        }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        if self.line_ended() || self.is("}") { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Skips the rest of the line on which a statement went wrong, and reads the blocks that it opens for their errors alone.
    fn recover(&mut self, mut start: usize) {
        loop {
            self.brackets = 0;
            let mut open = vec![];
            while self.peek().tok != Tok::End && (self.next == start || !self.peek().first) {
                let token = self.peek();
                match token.tok {
                    Tok::Punct("{") => open.push(token),
                    Tok::Punct("}") if open.pop().is_none() => return,
                    _ => {}
                }
                self.next += 1;
            }
            while let Some(token) = open.pop() {
                if self.block_after(token).is_err() && self.peek().tok == Tok::End {
                    return;
                }
            }
            if !self.is_word("else") {
                return;
            }
            start = self.next;
        }
    }

    /// Skips to the end of the block that is open.
    fn skip_block(&mut self) {
        let mut open = 1;
        while open > 0 && self.peek().tok != Tok::End {
            match self.bump().tok {
                Tok::Punct("{") => open += 1,
                Tok::Punct("}") => open -= 1,
                _ => {}
            }
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.start = self.next;
        let at = self.at();
        let token = self.peek();
        let loc = self.loc_or(token, at, Loc::NONE);
        self.here = loc;
        let names_follow = matches!(self.ahead(1).tok, Tok::Word(_) | Tok::Quoted(_) | Tok::Punct("%"));
        let kind = match token.tok {
            Tok::Word("for") => self.for_loop(),
            Tok::Word("while") => self.while_loop(loc),
            Tok::Word("if") => self.branch(),
            Tok::Word("return") => self.returns(),
            Tok::Word("check") if names_follow => {
                self.next += 1;
                let local = self.local()?;
                self.expect(":", "before the type that the local must have")?;
                Ok(StmtKind::Check { local, ty: self.ty()? })
            }
            Tok::Word("call") if names_follow => self.call(vec![]),
            Tok::Word(_) if matches!(self.ahead(1).tok, Tok::Punct("(" | "::")) => self.op(None),
            Tok::Word(_) | Tok::Quoted(_) | Tok::Punct("%") => self.assignment(),
            _ => Err(self.expected("a statement")),
        }?;
        Ok(Stmt { kind, loc })
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        let mut dsts = vec![self.local()?];
        while self.eat(",") {
            dsts.push(self.local()?);
        }
        if !self.eat("=") {
            return Err(
                self.expected_with("`=`", "a statement is an assignment, an op, call, check, for, while, if or return")
            );
        }
        let callee_follows = !self.ahead(1).first
            && match self.ahead(1).tok {
                Tok::Word(word) => !print::is_reserved(word),
                tok => matches!(tok, Tok::Quoted(_)),
            };
        if self.is_word("call") && callee_follows {
            return self.call(dsts);
        }
        let [dst] = dsts[..] else {
            return Err(self.expected_with("`call`", "only a call gives several values"));
        };
        match self.peek().tok {
            Tok::Word(word) if self.is_op(word) => self.op(Some(dst)),
            _ => Ok(StmtKind::Assign { dst, value: self.expr()? }),
        }
    }

    /// Whether the next token, `word`, begins an op.
    pub(super) fn is_op(&self, word: &str) -> bool {
        matches!(self.ahead(1).tok, Tok::Punct("(" | "::"))
            && !self.ahead(1).first
            && !matches!(word, "pl::min" | "pl::max" | "pl::lit" | "extent")
    }

    fn op(&mut self, dst: Option<LocalId>) -> Parsed<StmtKind> {
        let token = self.bump();
        let Tok::Word(path) = token.tok else { return Err(self.expected("an op")) };
        let Some(code) = OpCode::from_path(path) else {
            let paths: Vec<&str> = OpCode::ALL.iter().map(|op| op.path()).collect();
            return Err(self.error(token, format!("unknown op `{path}`"), format!("ops are {}", paths.join(", "))));
        };
        let info = code.info();
        let elem = match (info.type_arg, self.is("::")) {
            (TypeArg::No, true) => {
                return Err(self.error(
                    token,
                    format!("`{path}` takes no type argument"),
                    format!("write `{path}(…)`"),
                ));
            }
            (TypeArg::Required, false) => {
                let help = format!("write `{path}::<f32>(…)`");
                return Err(self.error(token, format!("`{path}` needs a type argument"), help));
            }
            (_, false) => None,
            (_, true) => Some(self.type_argument(Self::elem)?),
        };
        self.expect("(", "before the arguments")?;
        let mut params = info.params.iter();
        let args = self.list(")", |p| p.arg(params.next()))?;
        if args.len() != info.params.len() {
            let names: Vec<&str> = info.params.iter().map(|p| p.name).collect();
            let message = format!("`{path}` has {} parameters, found {} arguments", info.params.len(), args.len());
            return Err(self.error(token, message, format!("its parameters are {}", names.join(", "))));
        }
        Ok(StmtKind::Op(Op { code, dst, args, elem }))
    }

    fn call(&mut self, dsts: Vec<LocalId>) -> Parsed<StmtKind> {
        self.next += 1;
        let token = self.peek();
        let name = self.name("the name of a function")?;
        let position = self.function.callees.iter().position(|n| &**n == name);
        let callee = if self.eat("#") {
            let index = self.number("the index of a callee")?;
            match self.function.callees.get(index as usize) {
                Some(callee) if &**callee == name => index,
                _ => {
                    let message = format!("callee {index} is not `{name}`");
                    return Err(self.error(token, message, "the index counts the names in `calls(…)`, from 0"));
                }
            }
        } else if let Some(position) = position {
            position as u32
        } else {
            let message = format!("`{name}` is called and not declared");
            return Err(self.error(token, message, format!("add `calls({name})` after the parameters")));
        };
        self.expect("(", "before the arguments")?;
        let mut device = None;
        let args = self.list(")", |p| {
            let last = p.peek().tok == Tok::Word("device") && p.ahead(1).tok == Tok::Punct("=");
            if last {
                p.next += 2;
                device = Some(p.expr()?);
            }
            if last { Ok(None) } else { p.arg(None).map(Some) }
        })?;
        if device.is_some() && args.iter().position(Option::is_none) != Some(args.len() - 1) {
            return Err(self.error(token, "`device = …` stands among the arguments", "it stands once, after them"));
        }
        Ok(StmtKind::Call(Call { callee, dsts, args: args.into_iter().flatten().collect(), device }))
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.next += 1;
        let var = self.local()?;
        if !self.eat_word("in") {
            return Err(self.expected("`in`"));
        }
        let start = self.expr()?;
        self.expect("..", "between start and end")?;
        let end = self.expr()?;
        let step = if self.eat_word("step") { self.expr()? } else { Expr::int(1).at(self.here) };
        Ok(StmtKind::For { var, start, end, step, body: self.block()? })
    }

    fn while_loop(&mut self, loc: Loc) -> Parsed<StmtKind> {
        self.next += 1;
        let pre = if self.is("{") { self.block()? } else { vec![] };
        self.here = loc;
        let cond = self.expr()?;
        Ok(StmtKind::While { pre, cond, body: self.block()? })
    }

    fn branch(&mut self) -> Parsed<StmtKind> {
        self.next += 1;
        let cond = self.expr()?;
        let then = self.block()?;
        let mut els = vec![];
        if self.eat_word("else") {
            let at = usize::from(matches!(self.peek().tok, Tok::At(_)));
            if self.ahead(at).tok == Tok::Word("if") {
                self.blocks += 1;
                self.enter()?;
                self.check_depth(0)?;
                els.push(self.statement()?);
                self.blocks -= 1;
                self.leave();
            } else {
                els = self.block()?;
            }
        }
        Ok(StmtKind::If { cond, then, els })
    }

    fn returns(&mut self) -> Parsed<StmtKind> {
        self.next += 1;
        let mut values = vec![];
        if !self.line_ended() && !self.is("}") {
            values.push(self.expr()?);
            while self.eat(",") {
                values.push(self.expr()?);
            }
        }
        Ok(StmtKind::Return(values))
    }
}
