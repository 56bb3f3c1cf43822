begin(makeKitchen, (game) => new (withPlayer(KitchenScreen, 2))(game));
