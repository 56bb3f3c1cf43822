begin(makeFire, (game) => new (withPlayer(FireScreen, 5))(game));
